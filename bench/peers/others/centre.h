/* Sums the alpha of a picture, for every renderer whose pixels this benchmark sums
 * itself: programs in C, Go and Node call the same compiled loop. */
#include <stdint.h>

/* sums are of alpha (0 to 255), and of alpha times column and row from 0. */
struct sums {
	uint64_t alpha, x, y;
};

enum { STRETCH = 4096 }; /* px: 255 * STRETCH * STRETCH / 2 fits 32 bits */

/* sum_alpha reads w x h pixels of 32 bits with alpha in the highest byte; stride is the
 * distance of rows in bytes. It sums stretches of a row in 32 bits, which compilers turn
 * into vectors: in 64 bits this would be more than half of the time of a quick renderer. */
static inline struct sums sum_alpha(const uint8_t *pix, intptr_t stride, uint32_t w, uint32_t h) {
	struct sums s = {0, 0, 0};
	for (uint32_t y = 0; y < h; y++) {
		for (uint32_t x0 = 0; x0 < w; x0 += STRETCH) {
			const uint32_t *row = (const uint32_t *)(pix + y * stride) + x0;
			uint32_t n = w - x0 < STRETCH ? w - x0 : STRETCH, a = 0, ax = 0;
			for (uint32_t x = 0; x < n; x++) {
				uint32_t v = row[x] >> 24;
				a += v;
				ax += v * x;
			}
			s.alpha += a, s.x += ax + (uint64_t)a * x0, s.y += (uint64_t)a * y;
		}
	}
	return s;
}
