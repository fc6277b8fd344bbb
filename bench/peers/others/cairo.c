/* Fills paths with cairo. */
#include "scenes.h"

#include <cairo.h>

static void fill(cairo_t *c, const struct fill *f) {
	for (const struct op *o = f->ops; o < f->ops + f->count; o++) {
		const float *p = o->p;
		switch (o->kind) {
		case 0: cairo_move_to(c, p[0], p[1]); break;
		case 1: cairo_line_to(c, p[0], p[1]); break;
		case 2: cairo_curve_to(c, p[0], p[1], p[2], p[3], p[4], p[5]); break;
		default: cairo_close_path(c);
		}
	}
	cairo_set_source_rgb(c, f->rgb[0] / 255.0, f->rgb[1] / 255.0, f->rgb[2] / 255.0);
	cairo_fill(c);
}

const uint8_t *draw(const struct scene *s, intptr_t *stride) {
	static cairo_surface_t *picture;
	static cairo_t *c;
	static int32_t w, h;
	if (s->w != w || s->h != h) {
		if (c) cairo_destroy(c), cairo_surface_destroy(picture);
		picture = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, w = s->w, h = s->h);
		c = cairo_create(picture);
	}
	cairo_set_operator(c, CAIRO_OPERATOR_CLEAR);
	cairo_paint(c);
	cairo_set_operator(c, CAIRO_OPERATOR_OVER);
	for (int32_t i = 0; i < s->count; i++) fill(c, &s->fills[i]);
	cairo_surface_flush(picture);
	*stride = cairo_image_surface_get_stride(picture);
	return cairo_image_surface_get_data(picture);
}
