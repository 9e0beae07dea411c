/* A library that members load: its variable is each thread's own. */
static __thread int variable = 7;

int exchange(int with) {
  const int before = variable;
  variable = with;
  return before;
}
