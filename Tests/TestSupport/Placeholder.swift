// helpers shared by all tests
