#pragma once
#include <pango/pangocairo.h>

// Pango's objects are released through an untyped pointer; one typed name for each of them keeps
// the casts out of Swift.

static inline void geo_layout_release(PangoLayout *layout) { g_object_unref(layout); }

static inline void geo_context_release(PangoContext *context) { g_object_unref(context); }
