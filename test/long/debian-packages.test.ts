/** Owns the operator's default set of Python packages, built from Debian's: every one is imported and does its work in the sandbox. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../scripts/local-edge.ts";
import { serveSite } from "../helpers/http-site.ts";

const SCRIPT = `
import attr, bs4, chardet, click, colorama, docopt, dotenv, httpx, jinja2, jsonschema, markdown, openpyxl, packaging.version, pypdf
import pytz, requests, rich.console, rich.table, tabulate, toml, tqdm, typer, yaml
import dateutil.parser
import defusedxml.ElementTree
import asyncio, io, sys

print(yaml.safe_load("a: [1, 2]"), yaml.safe_dump({"b": 1}).strip())
print(jinja2.Template("{% for x in xs %}<{{ x }}>{% endfor %}").render(xs=[1, 2]))
print(bs4.BeautifulSoup("<p class=a>hi<b>!</b></p>", "html.parser").select_one("p.a").get_text())
book = openpyxl.Workbook()
book.active["A1"] = 5
book.save("a.xlsx")
print(openpyxl.load_workbook("a.xlsx").active["A1"].value)
writer = pypdf.PdfWriter()
writer.add_blank_page(72, 72)
writer.write("a.pdf")
print(len(pypdf.PdfReader("a.pdf").pages))
print(markdown.markdown("# a"), dateutil.parser.parse("2024-01-02").year, packaging.version.parse("1.10") > packaging.version.parse("1.9"))
print(defusedxml.ElementTree.fromstring("<a><b/></a>")[0].tag, tabulate.tabulate([[1, 2]], tablefmt="plain"))
try:
    jsonschema.validate({"a": "x"}, {"properties": {"a": {"type": "integer"}}})
except jsonschema.ValidationError as error:
    print(error.message)
open(".env.test", "w").write("KEY=value\\n")
print(dotenv.dotenv_values(".env.test")["KEY"], toml.loads("a = 1")["a"], pytz.timezone("Europe/Paris").zone)
out = io.StringIO()
table = rich.table.Table("n")
table.add_row("1")
rich.console.Console(file=out, width=20).print(table)
print(len(out.getvalue().splitlines()))
try:
    requests.get("https://nowhere.example.test/")
except requests.ConnectionError:
    print("requests: refused")
print(requests.get(sys.argv[1] + "/requests").text, httpx.get(sys.argv[1] + "/httpx").text)
async def ask():
    async with httpx.AsyncClient() as client:
        print((await client.get(sys.argv[1] + "/async")).text)
        await client.get("https://nowhere.example.test/")
try:
    asyncio.run(ask())
except httpx.TransportError:
    print("httpx: refused")
app = typer.Typer()
@app.command()
def hello(name: str):
    typer.echo(f"hello {name}")
app(["ada"], standalone_mode=False)
`;

/** The words of an error; the edge also tells on standard error what it refused. */
function lastLineOfTraceback(stderr: string): string {
  return stderr.includes("Traceback") ? (stderr.trimEnd().split("\n").at(-1) ?? "") : "";
}

test("the default set is built from Debian's packages and works", async () => {
  const directory = mkdtempSync(join(tmpdir(), "debian-set-"));
  try {
    const settings = ["--config", join(directory, "edge-skills.json")];
    writeFileSync(join(directory, "edge-skills.json"), '{ "wheels": "wheels" }');
    const wheels = join(directory, "wheels");
    const built = await runCli(["packages", "build", "--debian", "-o", wheels, ...settings, "--json"]);
    const skill = join(directory, "skills/all");
    mkdirSync(join(skill, "scripts"), { recursive: true });
    writeFileSync(join(skill, "SKILL.md"), "---\nname: all\ndescription: Uses all.\n---\n");
    writeFileSync(join(skill, "scripts/main.py"), SCRIPT);
    const site = await serveSite((request) => new Response(new URL(request.url).pathname));
    const from = ["--from", join(directory, "skills"), ...settings];
    const outcome = await runCli(["run", "all", "main.py", ...from, "--allow", site, "--", site]);
    const { packages } = JSON.parse(built.stdout) as { readonly packages: readonly { readonly name: string }[] };
    expect(packages.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["requests", "pyyaml", "openpyxl", "httpx"]),
    );
    expect({ ...outcome, stderr: lastLineOfTraceback(outcome.stderr) }).toEqual({
      status: 0,
      stdout:
        "{'a': [1, 2]} b: 1\n<1><2>\nhi!\n5\n1\n<h1>a</h1> 2024 True\nb 1  2\n'x' is not of type 'integer'\n" +
        "value 1 Europe/Paris\n5\nrequests: refused\n/requests /httpx\n/async\nhttpx: refused\nhello ada\n",
      stderr: "",
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
