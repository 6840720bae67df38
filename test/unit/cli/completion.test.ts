import { execFileSync, spawnSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { commandTree } from '../../../src/cli/command-list.ts'
import { completionScript, shells } from '../../../src/cli/commands/completion.ts'
import { manualPage } from '../../../src/cli/manual.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { newestRelease, releaseText } from '../../../src/model/release.ts'
import { FakeApi } from './fake-api.ts'

function isThere(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined
}

/** What bash offers at the last of these words. */
function offered(...words: readonly string[]): readonly string[] {
  const script = `
    eval "$1"; shift
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    complete() { :; }; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`
  const args = ['--norc', '-c', script, 'bash', completionScript('bash', commandTree, svcNaming), ...words]
  return execFileSync('bash', args, { encoding: 'utf8' })
    .split('\n')
    .filter((word) => word !== '')
}

describe.skipIf(!isThere('bash'))('the completion of bash', () => {
  it('offers commands, and words of a group', () => {
    expect(offered('svc', 'me')).toEqual(['members'])
    expect(offered('svc', 'operator', '')).toEqual(['autopilot', 'check', 'raft', 'upgrade'])
    expect(offered('svc', 'kv', 'ex')).toEqual(['export'])
  })

  it('offers the flags of a command, also behind other flags and operands', () => {
    expect(offered('svc', 'members', '-deta')).toEqual(['-detailed'])
    expect(offered('svc', 'kv', 'get', '-recurse', '-s')).toEqual(['-separator', '-stale'])
    expect(offered('svc', 'kv', 'get', 'a/key', '-det')).toEqual(['-detailed'])
  })

  it('offers the operands that a command lists', () => {
    expect(offered('svc', 'completion', 'f')).toEqual(['fish'])
  })

  it('offers nothing of its own where it does not know the words', () => {
    expect(offered('svc', 'none', '')).toEqual([])
  })
})

describe('the programs for shells', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-completion-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('name every command with its flags', () => {
    for (const shell of shells) {
      const script = completionScript(shell, commandTree, svcNaming)
      for (const { path, flags } of commandTree.commands) {
        for (const word of path) expect(script).toContain(word)
        for (const { name } of flags) expect(script).toMatch(new RegExp(`-(o )?${name}\\b`))
      }
    }
  })

  for (const shell of shells) {
    it.skipIf(!isThere(shell))(`are read by ${shell} without a complaint`, () => {
      const file = join(folder, shell)
      writeFileSync(file, completionScript(shell, commandTree, svcNaming))
      const read = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
      expect([read.status, read.stderr]).toEqual([0, ''])
    })
  }
})

describe('the completion installs itself', () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-shell-'))
  afterAll(() => rmSync(home, { recursive: true }))

  async function run(argv: readonly string[], environment: Readonly<Record<string, string>> = { HOME: home }) {
    const api = new FakeApi()
    for (const [name, value] of Object.entries(environment)) api.environment.set(name, value)
    return api.run(argv)
  }

  it.each([
    ['bash', '.bashrc', 'source <(svc completion bash)'],
    ['zsh', '.zshrc', 'source <(svc completion zsh)'],
    ['fish', '.config/fish/completions/svc.fish', 'svc completion fish | source'],
  ])('for %s by one line, once, and takes it out again', async (shell, name, words) => {
    const path = join(home, name)
    if (shell === 'bash') writeFileSync(path, 'alias ll="ls -l"')
    const before = shell === 'bash' ? 'alias ll="ls -l"\n' : ''
    const installed = await run(['completion', '-install', shell])
    expect(installed).toEqual({ code: 0, out: `Installed in ${path}: new shells use it.\n`, error: '' })
    const text = readFileSync(path, 'utf8')
    expect(text.startsWith(before)).toBe(true)
    expect(text.slice(before.length)).toContain(words)
    expect(text.slice(before.length).split('\n')).toHaveLength(2)
    expect((await run(['completion', '-install', shell])).out).toBe(`It is installed already in ${path}.\n`)
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect((await run(['completion', '-uninstall', shell])).out).toBe(`Removed from ${path}.\n`)
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect((await run(['completion', '-uninstall', shell])).out).toBe(`It is not installed in ${path}.\n`)
  })

  it('under the flags of the field, for the shell of the user; a link stays a link', async () => {
    const kept = join(home, 'kept')
    writeFileSync(kept, '# mine\n')
    rmSync(join(home, '.bashrc'), { force: true })
    symlinkSync(kept, join(home, '.bashrc'))
    const environment = { HOME: home, SHELL: '/usr/bin/bash' }
    expect((await run(['-autocomplete-install'], environment)).code).toBe(0)
    expect(readFileSync(kept, 'utf8')).toMatch(/^# mine\n.*svc completion bash/)
    expect(lstatSync(join(home, '.bashrc')).isSymbolicLink()).toBe(true)
    expect((await run(['-autocomplete-uninstall'], environment)).code).toBe(0)
    expect(readFileSync(kept, 'utf8')).toBe('# mine\n')
  })

  it('says what is missing', async () => {
    expect((await run(['completion', '-install'])).error).toContain('One shell must be named: bash, zsh, fish.')
    expect((await run(['completion', '-install', 'bash'], {})).error).toContain('HOME is not set')
    expect((await run(['completion', '-install', '-uninstall', 'bash'])).code).toBe(1)
  })

  it.skipIf(!isThere('bash'))('in a form that bash executes where the program is not installed, too', async () => {
    await run(['completion', '-install', 'bash'])
    const script = `PATH=/nowhere; . ${join(home, 'kept')}; echo "still here"`
    const shell = spawnSync('/bin/bash', ['--norc', '-c', script], { encoding: 'utf8' })
    expect([shell.stdout, shell.stderr]).toEqual(['still here\n', ''])
  })
})

describe('the manual page', () => {
  const path = fileURLToPath(new URL('../../../docs/svc.1', import.meta.url))

  it('is what the commands say of themselves (SVC_WRITE_DOCS=1 writes it)', () => {
    const page = manualPage(commandTree, releaseText(newestRelease), svcNaming)
    if (process.env['SVC_WRITE_DOCS'] === '1') writeFileSync(path, page)
    expect(readFileSync(path, 'utf8')).toBe(page)
  })

  it('names every command that needs no agent', () => {
    const page = manualPage(commandTree, releaseText(newestRelease), svcNaming)
    const named = /These need no agent: (.*)\./.exec(page)?.[1]?.split(/, | and /) ?? []
    const alone = commandTree.commands
      .filter(({ flags }) => !flags.some(({ name }) => name === 'http-addr'))
      .map(({ path: words }) => words.join(' '))
    expect(alone.length).toBeGreaterThan(5)
    expect(alone.filter((name) => !named.some((one) => name === one || name.startsWith(`${one} `)))).toEqual([])
  })

  it.skipIf(!isThere('man'))('is set by man without a warning', () => {
    const set = spawnSync('man', ['--warnings', '-l', path], {
      encoding: 'utf8',
      env: { ...process.env, MAN_KEEP_STDERR: '1', MANWIDTH: '100', LC_ALL: 'C.UTF-8' },
    })
    expect([set.status, set.stderr]).toEqual([0, ''])
    expect(set.stdout).toContain('svc operator raft list-peers')
  })
})
