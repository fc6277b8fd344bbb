/* Fills paths with Blend2D. It has its default settings: compiled pipelines and no
 * further threads. */
#include "scenes.h"

#include <blend2d.h>

static void fill(BLContextCore *c, BLPathCore *path, const struct fill *f) {
	static const BLPoint origin;
	blPathClear(path); /* keeps its memory */
	for (const struct op *o = f->ops; o < f->ops + f->count; o++) {
		const float *p = o->p;
		switch (o->kind) {
		case 0: blPathMoveTo(path, p[0], p[1]); break;
		case 1: blPathLineTo(path, p[0], p[1]); break;
		case 2: blPathCubicTo(path, p[0], p[1], p[2], p[3], p[4], p[5]); break;
		default: blPathClose(path);
		}
	}
	blContextFillPathDRgba32(c, &origin, path, 0xff000000u | f->rgb[0] << 16 | f->rgb[1] << 8 | f->rgb[2]);
}

const uint8_t *draw(const struct scene *s, intptr_t *stride) {
	static BLImageCore picture;
	static BLContextCore c;
	static BLPathCore path;
	static BLImageData data;
	if (s->w != data.size.w || s->h != data.size.h) {
		if (data.pixelData) blContextDestroy(&c), blImageDestroy(&picture), blPathDestroy(&path);
		blPathInit(&path);
		blImageInitAs(&picture, s->w, s->h, BL_FORMAT_PRGB32);
		blContextInitAs(&c, &picture, NULL);
		blContextSetFillRule(&c, BL_FILL_RULE_NON_ZERO);
		blImageGetData(&picture, &data);
	}
	blContextClearAll(&c);
	for (int32_t i = 0; i < s->count; i++) fill(&c, &path, &s->fills[i]);
	blContextFlush(&c, BL_CONTEXT_FLUSH_SYNC);
	*stride = data.stride;
	return data.pixelData;
}
