print("geoservice")
