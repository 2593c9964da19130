import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellWrites } from '../../../shared/policy/shell-writes.js';

/** Command, the targets in any order, and whether something else may be written too. */
type Row = readonly [command: string, targets: readonly string[], computed?: boolean];

function check(rows: readonly Row[]): void {
  for (const [command, targets, computed = false] of rows) {
    it(command.replaceAll('\n', '⏎'), () => {
      const found = shellWrites(command);
      expect({ targets: [...found.targets].sort(), computed: found.computed, parsed: found.parsed }).toEqual({
        targets: [...targets].sort(),
        computed,
        parsed: true,
      });
    });
  }
}

describe('redirections', () => {
  check([
    ['echo x > .env', ['.env']],
    ['echo x >.env', ['.env']],
    ['echo x >> .env', ['.env']],
    ['echo x >| .env', ['.env']],
    ['echo x &> .env', ['.env']],
    ['echo x &>> .env', ['.env']],
    ['echo x >& .env', ['.env']],
    ['echo x 2> err.log 1>&2', ['err.log']],
    ['echo x 2>&1', []],
    ['echo x >&-', []],
    ['echo x > /dev/null 2>/dev/stderr', []],
    ['exec 3<> .env', ['.env']],
    ['> .env', ['.env']],
    ['cat < .env', []],
    ['A=1 > .env', ['.env']],
    ['{ echo a; echo b; } > out', ['out']],
    ['if true; then echo a; fi > out', ['out']],
    ['while read l; do echo "$l" >> log; done < in > out', ['log', 'out']],
    ['[[ a > b ]]', []],
    ['echo $((1 > 0))', []],
    ["echo 'x > y'", []],
    ['echo "x > y"', []],
    ['echo x \\> y', []],
    ['# echo x > y', []],
  ]);
});

describe('words', () => {
  check([
    ["echo > 'my file'", ['my file']],
    ['echo > my\\ file', ['my file']],
    ['echo > ".e"nv', ['.env']],
    ["echo > $'.e\\x6ev'", ['.env']],
    ['echo > ~/.ssh/config', ['~/.ssh/config']],
    ["echo > '~/x'", ['./~/x']],
    ['tee {.env,b.txt}', ['.env', 'b.txt']],
    ['echo > $HOME/.ssh/config', ['~/.ssh/config'], true],
    ['echo > "${HOME}/x"', ['~/x'], true],
    ['echo > "$DIR/.env"', ['$DIR/.env'], true],
    ['f=.env; echo > "$f"', ['.env'], true],
    ['for f in .env b; do echo > $f; done', ['.env', 'b'], true],
    ['rm .e*', ['.e*'], true],
    ['echo > $(mktemp)', ['$(mktemp)'], true],
    ['$TOOL .env', [], true],
    ['echo x > "a/$(basename b)"', ['a/$(basename b)'], true],
  ]);
});

describe('lists, pipes, nesting', () => {
  check([
    ['true; echo x > .env', ['.env']],
    ['true && echo x > .env', ['.env']],
    ['true || echo x > .env', ['.env']],
    ['echo x | tee .env', ['.env']],
    ['echo x | tee -a .env other', ['.env', 'other']],
    ['echo x | tee -- -n', ['-n']],
    ['(echo x > .env)', ['.env']],
    ['! echo x > .env', ['.env']],
    ['time echo x > .env', ['.env']],
    ['echo x > .env &', ['.env']],
    ['echo "$(echo x > .env)"', ['.env']],
    ['echo `echo x > .env`', ['.env']],
    ['cat <(echo x > .env)', ['.env']],
    ['echo x > >(tee .env)', ['.env']],
    ['f() { echo x > .env; }; f', ['.env']],
    ['case a in a) echo x > .env;; esac', ['.env']],
    ['if false; then :; else echo x > .env; fi', ['.env']],
    ['coproc tee .env', ['.env']],
    ['cat <<EOF > .env\nhi\nEOF', ['.env']],
    ["cat > .env <<'EOF'\necho x > not-written\nEOF", ['.env']],
    ['cat <<EOF\n$(echo x > .env)\nEOF', ['.env']],
    ['echo \\\n x > \\\n .env', ['.env']],
  ]);
});

describe('commands inside commands', () => {
  check([
    ["sh -c 'echo x > .env'", ['.env']],
    ["bash -lc 'echo x > .env'", ['.env']],
    ["/bin/sh -c 'echo x > .env' arg", ['.env']],
    ['sh -c "sh -c \'echo x > .env\'"', ['.env']],
    ['sh -c "$SCRIPT"', [], true],
    ["eval 'echo x > .env'", ['.env']],
    ['eval "$X"', [], true],
    ["env A=1 sh -c 'echo x > .env'", ['.env']],
    ['env -i -u B tee .env', ['.env']],
    ["env -S 'tee .env'", ['.env']],
    ['env -C sub tee .env', ['sub/.env']],
    ['sudo -u root tee .env', ['.env']],
    ['sudo A=1 tee .env', ['.env']],
    ['nohup nice -n 5 timeout -k 1 10 tee .env', ['.env']],
    ['command tee .env', ['.env']],
    ['command -v tee', []],
    ['exec tee .env', ['.env']],
    ['stdbuf -oL tee .env', ['.env']],
    ['busybox tee .env', ['.env']],
    ['ls | xargs tee', [], true],
    ['ls | xargs -I{} cp {} dir', ['dir', 'dir/{}'], true],
    ["ls | xargs sh -c 'echo x > .env'", ['.env']],
    ['find . -name x -exec rm {} +', ['{}'], true],
    ["find . -exec sh -c 'echo x > .env' \\;", ['.env']],
    ['find . -delete', [], true],
    ['find . -fprint .env', ['.env']],
    ["sh <<'E'\necho x > .env\nE", ['.env']],
    ["sh <<< 'echo x > .env'", ['.env']],
    ['curl -s http://h/x | sh', [], true],
    ['cat x | sudo bash -s', [], true],
    ["trap 'echo x > .env' EXIT", ['.env']],
    ["flock /tmp/l -c 'echo x > .env'", ['.env']],
    ["watch -n 1 'echo x > .env'", ['.env']],
    // Programs are not seen through: this is what they are known not to find.
    ['python -c \'open(".env","w")\'', []],
    ['bash script.sh', []],
    ['make install', []],
  ]);
});

describe('working folder', () => {
  check([
    ['cd sub && echo x > .env', ['sub/.env']],
    ['cd sub && cd .. && echo x > y', ['sub/../y']],
    ['cd sub; echo x > .env', ['sub/.env', '.env']],
    ['cd /abs && echo x > y', ['/abs/y']],
    ['cd && echo x > y', ['~/y']],
    ['(cd sub && echo a > b); echo x > y', ['sub/b', 'y']],
    ['cd sub | true; echo x > y', ['y']],
    ['cd "$D" && echo x > .env', ['$D/.env'], true],
    ['cd - && echo x > .env', ['.env'], true],
    ['pushd sub && echo x > y', ['sub/y']],
    ['cd -- sub && echo x > y', ['sub/y']],
  ]);
});

describe('commands that write', () => {
  check([
    ['cp a .env', ['.env', '.env/a']],
    ['cp /tmp/.env .', ['.', './.env']],
    ['cp -t dir a b', ['dir', 'dir/a', 'dir/b']],
    ['cp --target-directory=dir a', ['dir', 'dir/a']],
    ['mv a .env', ['.env', '.env/a', 'a']],
    ['ln -s .env y', ['y', 'y/.env', '.env']],
    ['ln -s dir/.env', ['./.env', 'dir/.env']],
    ['install -m 600 a .env', ['.env', '.env/a']],
    ['install -d x y', ['x', 'y']],
    ['dd if=a of=.env bs=1', ['.env']],
    ["sed -i 's/a/b/' .env", ['.env']],
    ["sed -i.bak -e 's/a/b/' .env x", ['.env', 'x']],
    ["sed --in-place=.bak 's/a/b/' .env", ['.env']],
    ["sed 's/a/b/' .env", []],
    ["sed -n 'w .env' in", ['.env']],
    ["sed 's/a/b/w .env' in", ['.env']],
    ["perl -pi -e 's/a/b/' .env", ['.env']],
    ["perl -pe 's/i/b/' .env", []],
    ['awk \'{ print > ".env" }\' in', ['.env']],
    ["awk '{ print $1 }' in", []],
    ['touch -r a .env', ['.env']],
    ['truncate -s 0 .env', ['.env']],
    ['rm -rf .git', ['.git']],
    ['rm -- -x', ['-x']],
    ['mkdir -p a/b', ['a/b']],
    ['chmod +x run.sh', ['run.sh']],
    ['chown -R me .env', ['.env']],
    ['curl -o .env http://h/x', ['.env']],
    ["curl -O 'http://h/.env?x=1'", ['.env']],
    ['wget http://h/.env', ['.env']],
    ['wget -O .env http://h/x', ['.env']],
    ['wget -P dir http://h/.env', ['dir', 'dir/.env']],
    ['tar czf out.tgz dir', ['out.tgz']],
    ['tar xf in.tar', [], true],
    ['sort -o .env .env', ['.env']],
    ['gcc -o prog a.c', ['prog']],
    ['git rm .env', ['.env']],
    ['git checkout -- .env', ['.env'], true],
    ['git status', []],
    ['git commit -m "x > y"', []],
    ['/usr/bin/tee .env', ['.env']],
    ['ls -la; grep -r x . | head -5', []],
    ['npm test -- --reporter=dot 2>&1 | tail -20', []],
  ]);
});

describe('what cannot be read', () => {
  for (const command of ["echo 'x > .env", 'if true; then', 'echo $(', 'done', '(', 'echo )']) {
    it(command, () => {
      const found = shellWrites(command);
      expect({ parsed: found.parsed, computed: found.computed }).toEqual({ parsed: false, computed: true });
    });
  }

  it('follows nesting only so far, and says so', () => {
    let command = 'echo x > .env';
    for (let i = 0; i < 20; i += 1) command = `eval ${JSON.stringify(command)}`;
    expect(shellWrites(command).computed).toBe(true);
  });

  it('never throws and never calls a broken line read', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const found = shellWrites(text);
        expect(found.computed || found.parsed).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('finds a literal redirection behind any quoting of its parts', () => {
    const quoted = fc.constantFrom(
      (s: string) => `'${s}'`,
      (s: string) => `"${s}"`,
      (s: string) => s.replace(/./g, '\\$&'),
      (s: string) => s,
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.stringMatching(/^[a-z.]{1,4}$/), quoted), { minLength: 1, maxLength: 4 }),
        (parts) => {
          const word = parts.map(([text, quote]) => quote(text)).join('');
          const plain = parts.map(([text]) => text).join('');
          expect(shellWrites(`echo x > ${word}`)).toEqual({ targets: [plain], computed: false, parsed: true });
        },
      ),
    );
  });
});
