// Written by the part's author; replaced with the first real file.
