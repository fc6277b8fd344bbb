/* A module for Node with the loop of centre.h: sums(pixels, width) returns the sums
 * [alpha, x, y] of RGBA pixels, which sum_alpha computes. */
#include "centre.h"

#include <node_api.h>

static napi_value sums(napi_env env, napi_callback_info info) {
	size_t count = 2, bytes = 0;
	napi_value args[2], out, v;
	void *pix = NULL;
	uint32_t w = 0;
	napi_get_cb_info(env, info, &count, args, NULL, NULL);
	if (count != 2 || napi_get_typedarray_info(env, args[0], NULL, &bytes, &pix, NULL, NULL) != napi_ok ||
		napi_get_value_uint32(env, args[1], &w) != napi_ok || w == 0) {
		napi_throw_type_error(env, NULL, "sums: want pixels in bytes and a width");
		return NULL;
	}
	struct sums s = sum_alpha(pix, 4 * (intptr_t)w, w, bytes / 4 / w);
	double list[] = {s.alpha, s.x, s.y};
	napi_create_array_with_length(env, 3, &out);
	for (uint32_t i = 0; i < 3; i++) {
		napi_create_double(env, list[i], &v);
		napi_set_element(env, out, i, v);
	}
	return out;
}

NAPI_MODULE_INIT() {
	napi_value f;
	napi_create_function(env, "sums", NAPI_AUTO_LENGTH, sums, NULL, &f);
	napi_set_named_property(env, exports, "sums", f);
	return exports;
}
