from weir.cli import app

app()
