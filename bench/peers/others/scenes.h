/* What a renderer in C is given and what it defines; scenes.c does the rest. */
#include <stdint.h>

struct op {
	uint8_t kind, zero[3]; /* 0 move, 1 line, 2 cubic, 3 close */
	float p[6];
};

struct fill {
	const uint8_t *rgb;
	int32_t count;
	const struct op *ops;
};

struct scene {
	int32_t w, h, count;
	struct fill *fills;
};

/* draw fills the scene's paths, opaque and non-zero, over nothing. It returns
 * pixels of 32 bits with alpha in the highest byte, valid until the next call, and
 * the distance of their rows in bytes. */
const uint8_t *draw(const struct scene *s, intptr_t *stride);
