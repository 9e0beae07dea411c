from weir.cli import app

app(prog_name="weir")
