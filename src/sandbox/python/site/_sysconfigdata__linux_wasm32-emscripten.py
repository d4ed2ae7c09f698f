"""Owns what the module sysconfig knows of how Python was built; only what the standard library asks for."""

build_time_vars = {"TZPATH": "/usr/share/zoneinfo", "EXT_SUFFIX": ".so", "SOABI": "cpython-313-wasm32-emscripten", "Py_GIL_DISABLED": 0, "prefix": "/usr"}
