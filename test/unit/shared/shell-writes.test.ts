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
    ['rm .e*', ['.e*', '.env'], true],
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
    ["flock /tmp/l -c 'echo x > .env'", ['/tmp/l', '.env']],
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

/** Commands that write `.env` (or another named file) by a less plain way: at least that target must be found. */
function finds(target: string, commands: readonly string[]): void {
  for (const command of commands) {
    it(command.replaceAll('\n', '⏎'), () => {
      const found = shellWrites(command);
      expect({ targets: found.targets, parsed: found.parsed }).toEqual({
        targets: expect.arrayContaining([target]) as unknown,
        parsed: true,
      });
    });
  }
}

describe('scripts that a shell gets in other ways', () => {
  finds('.env', [
    "bash -c -- 'echo x > .env'",
    "bash -co pipefail 'echo x > .env'",
    "bash -c -o pipefail 'echo x > .env'",
    "bash -cO extglob 'echo x > .env'",
    "bash -o pipefail -c 'echo x > .env'",
    "bash --norc -ec 'echo x > .env'",
    "zsh -opipefail -c 'echo x > .env'",
    "bash - <<'E'\necho x > .env\nE",
    "bash /dev/stdin <<'E'\necho x > .env\nE",
    "source /dev/stdin <<'E'\necho x > .env\nE",
    ". /dev/stdin <<< 'echo x > .env'",
    "source <(echo 'echo x > .env')",
    "bash <(echo 'echo x > .env')",
    "bash < <(printf '%s\\n' 'echo x > .env')",
    "echo 'echo x > .env' | bash",
    "echo 'echo x > .env' | sudo sh",
    "echo 'echo x > .env' | { cat | bash; }",
    "printf 'touch %s\\n' .env | sh",
    "printf 'touch .e\\x6ev' | sh",
    "{ echo 'touch a'; echo 'touch .env'; } | sh",
    "cat <<'E' | bash\ntouch .env\nE",
    "trap -- 'echo x > .env' EXIT",
    "env -vS 'tee .env'",
    "env -S 'tee' .env",
    "env --split-string='-i A=1 tee .env'",
    'setpriv --no-new-privs tee .env',
    'setpriv --reuid 1000 tee .env',
    'prlimit --nofile=10 tee .env',
    'prlimit --nofile 10 tee .env',
    'choom -n 5 -- tee .env',
    'nsenter -t 1 -m tee .env',
    "mapfile -C 'touch .env #' -c 1 a < in",
    'flock .env true',
    'flock -n l tee .env',
  ]);
});

describe('sed scripts', () => {
  finds('.env', [
    "sed 'w.env' in",
    "sed 's_d_e_w .env' in",
    "sed '$!w .env' in",
    "sed '5!w .env' in",
    "sed '\\_d_w .env' in",
    "sed '/a\\/b/,+3{w .env\n}' in",
    "sed --expr='w .env' in",
    "sed -n -e p -e 'w .env' in",
    "sed -f - in <<< 'w .env'",
    "sed -f <(echo 'w .env') in",
    "sed '1e touch .env' in",
    "sed 's/.*/touch .env/e' in",
    'sed -ni p .env',
    'sed --in-pl p .env',
  ]);
  check([
    ["sed -n '1,20p' f", []],
    ["sed -e 's/w .env/x/' -e '/e/d;s|a|b|g;y/ab/cd/' f", []],
    ["sed '/start/,/end/{s/a/b/;p;}' f", []],
    ["sed '1i w .env' f", []],
    ["sed ':a;N;$!ba;s/\\n/ /g' f", []],
    ["sed 's/.*/x/e' f", [], true],
    ["sed 'K' f", [], true],
    ['sed -f s.sed f', [], true],
    ['sed "s/a/$B/" f', [], true],
  ]);
});

describe('links, git, archives and other programs', () => {
  finds('.env', [
    'cp -l .env y',
    'cp -s .env y',
    'cp --link .env y',
    'cp --symbolic-link .env y',
    'cp --sym .env y',
    'git config -f .env a.b c',
    'git config --file .env a.b c',
    'git config --file=.env a.b c',
    'GIT_CONFIG_GLOBAL=.env git config --global a.b c',
    'export GIT_CONFIG_GLOBAL=.env; git config --global a.b c',
    'git diff --output=.env',
    'git log --output .env',
    'git init .env',
    'git init --separate-git-dir .env x',
    'git init --separate-git-dir=.env',
    'git --git-dir=.env init',
    'GIT_DIR=.env git init',
    'git clone http://h/r .env',
    'git archive -o .env HEAD',
    "git -c alias.x='!touch .env' x",
    'tar --create --file=.env a',
    'tar -cf.env a',
    'tar -c -f .env a',
    'tar cCf dir .env a',
    'tar xf a.tar .env',
    'curl --libcurl .env http://h',
    'curl --etag-save .env http://h',
    'patch -o .env a b',
    'mktemp .env',
    'shuf -o .env a',
    'fallocate -l 1 .env',
    'xxd -r a .env',
    'ar rc .env a.o',
    'strip -o .env a',
    'objcopy a .env',
    "ex -c 'w! .env' -c q a",
    "vim -c 'w! .env' a",
    "vim '+w! .env' a",
    "vim -c ':!touch .env' a",
    'ed a <<< "w .env"',
    'sort --out=.env a',
    'sort --out .env a',
    'awk \'{ print | "cat > .env" }\' a',
    'awk \'BEGIN { system("touch .env") }\'',
    'awk \'BEGIN { "touch .env" | getline }\'',
  ]);
  check([
    ['git config a.b c', ['.git/config']],
    ['git config --unset a.b', ['.git/config']],
    ['git -C sub config a.b c', ['sub/.git/config']],
    ['git config --global a.b c', ['~/.gitconfig']],
    ['git config --get a.b', []],
    ['git config a.b', []],
    ['git config -l', []],
    ['tar xf a.tar -C .git', ['.git'], true],
    ['tar --extract --file a.tar --directory=.git', ['.git'], true],
    ['tar tf a.tar', []],
    ['curl --output-dir .git -o x http://h', ['.git', '.git/x']],
    ['split - .env.', ['.env.aa'], true],
    ['csplit -f .env. a 3', ['.env.00'], true],
    ['mktemp .env.XXXX', ['.env.XXXX'], true],
  ]);
});

describe('nearly literal', () => {
  finds('.env', [
    'set -- .env; touch $1',
    'set -- .env; touch "$@"',
    "F=.env bash -c 'touch $F'",
    "env F=.env bash -c 'touch $F'",
    "bash -c 'touch $0' .env",
    'bash -c \'touch "$1"\' x .env',
    'F=.e; F+=nv; touch $F',
    ': ${F:=.env}; touch $F',
    'touch ${F:-.env}',
    'f(){ tee "$1"; }; f .env',
    'xargs touch <<< .env',
    'echo .env | xargs touch',
    "echo .env | xargs -I{} sh -c 'touch {}'",
    'read F <<< .env; touch $F',
    'echo .env | while read F; do touch $F; done',
    'a=(.env); touch ${a[0]}',
    'a=(.env); touch "${a[@]}"',
    'T=touch; $T .env',
    'printf -v F .env; touch $F',
    'touch .e?v',
    'touch .[e]nv',
    'touch .[[:alpha:]]nv',
    'touch .en*',
    'touch .@(env|x)',
    'shopt -s dotglob; rm *',
  ]);
  finds('.git', ['mv -t ws2 .g[i]t', 'rm -rf ./.gi? .g?t']);
  finds('.git/hooks/x', ['touch .g*/hooks/x']);
  check([
    ['mv -t ws2 .g[i]t', ['ws2', 'ws2/.g[i]t', 'ws2/.git', '.g[i]t', '.git'], true],
    ['touch *.txt', ['*.txt'], true],
    ['rm -rf build/*', ['build/*'], true],
    ["touch '.e?v'", ['.e?v']],
  ]);
});

describe('what writes nothing by name', () => {
  check([
    ['git diff --stat HEAD~1', []],
    ['git --git-dir=.git status', []],
    ['git log --oneline -5 -- .env', []],
    ['git add -A && git commit -m "w .env"', []],
    ['git push origin main', []],
    ['cat .env | grep KEY', []],
    ['grep -rn "touch .env" src | sort | uniq -c', []],
    ['echo .env', []],
    ['echo "a b" | tr a b', []],
    ['cat .en*', []],
    ['F=.env; cat $F', []],
    ['ls *.ts | wc -l', []],
    ['find . -name "*.ts" | xargs grep -l foo', []],
    ['xxd a | head', []],
    ['ar t lib.a', []],
    ["awk -F'|' '{ print $2 }' f", []],
    ["awk '/a|b/ { n++ } END { print n }' f", []],
    ["awk '$1 > 3 || $2 < 4 { print $1 }' f", []],
    ['sort -t o -k 2 f', []],
    ['source venv/bin/activate', []],
    ['npx vitest run test/unit && npm run build', []],
    ['curl -s http://h/x', []],
    ['node -e "1" && python3 -c "print(1)"', []],
    ['time -p ls -la .env', []],
    ['nice -n 5 npm test', []],
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

  it('follows functions that call themselves only so far, and says so', () => {
    const found = shellWrites('f() { f "$1" x; f; f; f; touch "$1"; }; f .env');
    expect({ target: found.targets.includes('.env'), computed: found.computed }).toEqual({
      target: true,
      computed: true,
    });
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
