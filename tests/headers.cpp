// The test programs' precompiled headers are compiled with this program, and reused by all others.
int main() { return 0; }
