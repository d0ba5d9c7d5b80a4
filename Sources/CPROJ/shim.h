#pragma once
#include <geodesic.h>
#include <proj.h>
