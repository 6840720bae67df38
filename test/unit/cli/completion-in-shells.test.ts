import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { commandTree } from '../../../src/cli/command-list.ts'
import { completionScript } from '../../../src/cli/commands/completion.ts'
import { type Shell, shellFile, shellLine } from '../../../src/cli/files/shell-files.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'

const onTerminal = fileURLToPath(new URL('../../tools/on-a-terminal.py', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'svc-shells-'))
afterAll(() => rmSync(home, { recursive: true }))

function isThere(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined
}

/** A `svc` that prints the completion of a shell to the shell itself; to a person, the words that it was called with. */
function putProgram(): string {
  const program = join(home, 'bin', 'svc')
  mkdirSync(dirname(program), { recursive: true })
  const script = `#!/bin/sh\nif [ "$1" = completion ] && [ ! -t 1 ]; then cat "${home}/script.$2"; else echo "ran: $*"; fi\n`
  writeFileSync(program, script)
  chmodSync(program, 0o755)
  return dirname(program)
}

const prompts: Readonly<Record<Shell, string>> = {
  bash: "PS1='ready>'",
  zsh: "PS1='ready>'",
  // Fish draws its prompt again at each key, but raises the event once for each line.
  fish: "function tell --on-event fish_prompt; echo 'ready>'; end",
}

/** Types each line and a tab at a shell that loads the completion as after `-install`. Returns what was run. */
function typed(shell: Shell, lines: readonly string[]): readonly string[] {
  const folder = putProgram()
  writeFileSync(join(home, `script.${shell}`), completionScript(shell, commandTree, svcNaming))
  const config = join(home, '.config')
  const file = shellFile(shell, svcNaming.name, home, config)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${shellLine(shell, svcNaming.name)}\n`)
  const settings = shell === 'fish' ? join(config, 'fish', 'config.fish') : file
  writeFileSync(settings, `${prompts[shell]}\n`, { flag: 'a' })
  const keys = [...lines.map((line) => `${line}\t`), 'exit'].join('\n')
  const env = { HOME: home, PATH: `${folder}:${process.env['PATH']}`, TERM: 'dumb' }
  const { stdout } = spawnSync('python3', [onTerminal, 'ready>', keys, shell, '-i'], { env, encoding: 'utf8' })
  return [...stdout.matchAll(/ran: ([^\r\n]*)/g)].map(([, words = '']) => words)
}

describe('a shell in which the completion was installed', () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const missing = ['python3', shell].filter((program) => !isThere(program))
    it.skipIf(missing.length > 0)(`completes what is typed in ${shell} (needs ${shell} and python3)`, () => {
      const lines = ['svc me', 'svc operator ch', 'svc kv get a/key -det', 'svc completion fi']
      expect(typed(shell, lines)).toEqual(['members', 'operator check', 'kv get a/key -detailed', 'completion fish'])
    })
  }
})
