"""Where an OpenMP program's synchronisation time goes: its directives counted, and priced by the suite's overheads."""
