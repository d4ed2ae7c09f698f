#!/usr/bin/env bash
# Finds mechanical problems in source code. One line per finding: `file:line: code message`.
# It reads line by line and knows no grammar, so a reader has to judge what it finds.
# Exit status: 0 nothing found, 1 findings, 2 wrong use.
set -euo pipefail

usage() {
  echo "usage: lint-check.sh FILE                     check a file"
  echo "       lint-check.sh [--name NAME] -          check standard input"
  echo "       lint-check.sh --name NAME --code TEXT  check TEXT"
  echo "       lint-check.sh --rules                  list the rules"
  echo "The extension of FILE or NAME decides which rules apply; without one, those for any language."
}

wrong_use() {
  echo "lint-check.sh: $1" >&2
  usage >&2
  exit 2
}

# Arguments: what to do (check the text in $code, called $name, or list the rules).
task=""
name=""
code=""
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help)
      usage
      exit 0
      ;;
    --rules) task=rules ;;
    --name)
      [ $# -ge 2 ] || wrong_use "--name needs a value"
      name=$2
      shift
      ;;
    --code)
      [ $# -ge 2 ] || wrong_use "--code needs a value"
      code=$2
      task=check
      shift
      ;;
    -)
      # The dot protects line feeds at the end, which $( ) would drop.
      code=$(sed '' && printf .)
      code=${code%.}
      task=check
      ;;
    -*) wrong_use "unknown option $1" ;;
    *)
      [ -z "$task" ] || wrong_use "one file at a time; \"$1\" is too much"
      [ -f "$1" ] || wrong_use "no such file: $1"
      if [ -z "$name" ]; then name=$1; fi
      code=$(sed '' "$1" && printf .)
      code=${code%.}
      task=check
      ;;
  esac
  shift
done
[ -n "$task" ] || wrong_use "nothing to check"
name=${name:-<code>}

case "$name" in
  *.*) language=${name##*.} ;;
  *) language="" ;;
esac

findings=""

# Adds lines of the form `number:code message`.
add() {
  if [ -n "$1" ]; then findings="$findings$1"$'\n'; fi
}

# rule CODE LANGUAGES REGEX MESSAGE: every line that matches is a finding. LANGUAGES are extensions, or `any`.
rule() {
  if [ "$task" = rules ]; then
    echo "$1 $4 ($2)"
    return 0
  fi
  case " $2 " in
    *" any "* | *" $language "*) ;;
    *) return 0 ;;
  esac
  add "$(printf '%s' "$code" | grep -nE -- "$3" | sed -E "s/^([0-9]+):.*/\1:$1 $4/" || true)"
}

JS="js jsx ts tsx mjs cjs"
Q="[\"']"      # a quotation mark
NQ="[^\"']"    # anything else
B="[[:blank:]]"
START="(^|[^A-Za-z0-9_.])" # no word goes on from the left
TAB=$'\t'
SECRET="([Pp]assword|PASSWORD|[Ss]ecret|SECRET|[Aa]pi_?[Kk]ey|API_KEY|[Tt]oken|TOKEN)"

rule S101 any "$B\$" "blanks at the end of the line"
rule S102 any "^ +$TAB|^$TAB+ +[^ *]" "tabs and blanks mixed in the indentation"
rule S104 any "${START}(TODO|FIXME|XXX)([^A-Za-z0-9_]|\$)" "left-over note"
rule S105 "$JS" "${START}(console[.](log|debug)[(]|debugger($B|;|\$))" "left-over debugging output"
rule S105 "py" "${START}(breakpoint[(]|pdb[.]set_trace[(])" "left-over breakpoint"
rule B200 any "^(<<<<<<<|>>>>>>>)( |\$)" "unresolved merge conflict"
rule B201 "py" "def +[A-Za-z0-9_]+[(].*=$B*([[][]]|[{][}]|set[(][)])" "mutable default argument is shared between calls"
rule B202 "py" "^$B*except$B*:" "bare except also catches KeyboardInterrupt and SystemExit"
rule B203 "py" "[=!]=$B*None" "compare with None by is or is not"
rule B204 "$JS" "[^=!<>]==[^=]|!=[^=]" "loose comparison"
rule B205 "$JS java kt c cpp cs php" "catch$B*([(][^)]*[)])?$B*[{]$B*[}]" "empty catch swallows the error"
rule B206 "$JS" "forEach[(]$B*async" "forEach does not wait for async callbacks"
rule B207 "$JS" "[.]sort[(]$B*[)]" "sort without a comparison sorts numbers as text"
rule B208 "sh bash" "${START}rm$B(.*$B)?[\$][A-Za-z_{]" "unquoted variable in rm"
rule X301 any "$SECRET$Q?$B*[:=]$B*$Q$NQ{8,}$Q" "secret in the source"
rule X302 "py $JS php rb" "${START}eval[(]" "eval runs whatever it is given"
rule X303 "py" "shell$B*=$B*True" "a shell reads the command"
rule X304 "py" "yaml[.]load[(]" "yaml.load can build any object"
rule X305 "py $JS java cs php rb" "$Q(SELECT|INSERT INTO|UPDATE|DELETE FROM) $NQ*$Q$B*[+%]" "SQL put together from text"
rule X306 "py $JS java" "verify$B*=$B*False|rejectUnauthorized$B*:$B*false" "certificate check is switched off"

# Two rules that look at more than a pattern.
if [ "$task" = rules ]; then
  echo "S103 line longer than 120 characters (any)"
  echo "S106 no line feed at the end (any)"
  exit 0
fi
add "$(printf '%s' "$code" | awk 'length($0) > 120 { print NR ":S103 line longer than 120 characters" }')"
lines=$(printf '%s' "$code" | awk 'END { print NR }')
case "$code" in
  "" | *$'\n') ;;
  *) add "$lines:S106 no line feed at the end" ;;
esac

if [ -z "$findings" ]; then
  echo "$name: clean, $lines lines"
  exit 0
fi
printf '%s' "$findings" | sort -t: -k1,1n -k2,2 | while IFS= read -r finding; do
  number=${finding%%:*}
  echo "$name:$number: ${finding#*:}"
done
exit 1
