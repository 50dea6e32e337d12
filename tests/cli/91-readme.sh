# The README's session: each command ends with 0 and prints, among other lines, those that stand below it, in that order.
cp "$SAMPLE"/sample-*.warc.gz .
PATH="$(dirname "$WINNOW"):$PATH" && export PATH
readme=$(cd "$CASES/../.." && pwd)/README.md
sed -n '/^## Sixty seconds/,/^## /p' "$readme" | sed -n '/^```/,/^```/p' | grep -v '^```' >session
python3 - <<'P'
import subprocess
commands, promised = [], []
for line in open("session").read().splitlines():
    if line.startswith("$ "):
        commands.append(line[2:])
        promised.append([])
    elif line:
        promised[-1].append(line)
for command, lines in zip(commands, promised):
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    printed = iter(done.stdout.splitlines())
    missing = [line for line in lines if line not in printed]
    print(command.split()[1], "ends with", done.returncode, "and prints", len(lines) - len(missing), "of", len(lines), "lines")
    for line in missing:
        print("  not printed, or not in this place:", line)
P
[ -s kept.warc.gz ] && echo "the archive of what is kept is there"
