/* Has a renderer draw the scenes of a file and sums their alpha. In: a file of
 * scenes, as bench/peers writes it in binary: int32 scenes; per scene int32
 * width, height, fills; per fill 3 x uint8 colour and a zero, int32 operations;
 * per operation uint8 kind, 3 zeros, 6 floats. Out: one line of JSON per request
 * line on stdin. */
#include "centre.h"
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const char *at; /* the next byte of the file to read */

static int32_t integer(void) {
	int32_t v;
	memcpy(&v, at, 4);
	at += 4;
	return v;
}

/* seconds returns a time, for differences. */
static double seconds(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* core returns the processor time of this process in seconds. */
static double core(void) {
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

/* centre prints the alpha of a picture and its centre of mass as JSON. */
static void centre(const uint8_t *pix, intptr_t stride, uint32_t w, uint32_t h) {
	struct sums s = sum_alpha(pix, stride, w, h);
	double n = s.alpha;
	printf("{\"alpha\":%.6f,\"x\":%.6f,\"y\":%.6f}", n / 255, n ? s.x / n + 0.5 : 0.0, n ? s.y / n + 0.5 : 0.0);
}

/* read_file reads a file whole and sets at to its start. It returns 0 on failure. */
static int read_file(const char *name) {
	FILE *f = fopen(name, "rb");
	if (!f) return 0;
	fseek(f, 0, SEEK_END);
	size_t size = ftell(f);
	rewind(f);
	char *data = malloc(size);
	at = data;
	size_t got = fread(data, 1, size, f);
	fclose(f);
	return got == size;
}

/* read_scene reads one scene. Its colours and operations stay in the memory of the file. */
static void read_scene(struct scene *s) {
	s->w = integer(), s->h = integer(), s->count = integer();
	s->fills = calloc(s->count, sizeof *s->fills);
	for (struct fill *f = s->fills; f < s->fills + s->count; f++) {
		f->rgb = (const uint8_t *)at;
		at += 4;
		f->count = integer();
		f->ops = (const struct op *)at;
		at += f->count * sizeof *f->ops;
	}
}

int main(int argc, char **argv) {
	if (argc != 2 || !read_file(argv[1])) return 1;
	int32_t n = integer();
	struct scene *all = calloc(n, sizeof *all);
	for (int32_t i = 0; i < n; i++) read_scene(&all[i]);
	char line[64];
	while (fgets(line, sizeof line, stdin)) {
		double t = seconds(), c = core();
		printf("{\"centres\":[");
		for (int32_t i = 0; i < n; i++) {
			intptr_t stride;
			const uint8_t *pix = draw(&all[i], &stride);
			if (i) printf(",");
			centre(pix, stride, all[i].w, all[i].h);
		}
		struct rusage u;
		getrusage(RUSAGE_SELF, &u);
		printf("],\"wall\":%.6f,\"core\":%.6f,\"rss\":%.1f}\n", seconds() - t, core() - c, u.ru_maxrss / 1024.0);
		fflush(stdout);
	}
	return 0;
}
