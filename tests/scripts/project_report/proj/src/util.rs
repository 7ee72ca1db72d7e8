// FIXME now
