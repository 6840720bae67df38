import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { commandTree } from '../../../src/cli/command-list.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { CliWorld } from './cli-world.ts'
import { type FakeAnswer, FakeApi } from './fake-api.ts'
import { type GuardedVerb, guardedVerbs, putAuthorityFile } from './guarded-verbs.ts'

const directory = mkdtempSync(join(tmpdir(), 'svc-guards-'))
afterAll(() => rmSync(directory, { recursive: true }))
const verbs = guardedVerbs(putAuthorityFile(directory))

let api: FakeApi
beforeEach(() => {
  api = new FakeApi()
})

function given({ reads, does }: GuardedVerb, more: Readonly<Record<string, FakeAnswer>> = {}): void {
  for (const [what, answer] of Object.entries({ ...reads, ...more })) api.on(what, answer)
  api.on(does, [200, 'true'])
}

const told = ({ warnings }: GuardedVerb): string => warnings.map((line) => `Warning: ${line}\n`).join('')
const done = (): boolean => api.changes.length === 1

describe.each(verbs)('the guard of %s', (_name, verb) => {
  it('warns a script on standard error, and changes neither what it prints nor its exit code', async () => {
    given(verb)
    const warned = await api.run(verb.argv)
    expect([warned.error, done(), api.questions]).toEqual([told(verb), true, []])
    const [first = '', ...rest] = splitPath(verb.argv)
    const forced = await api.run([...first.split(' '), '-force', ...rest])
    expect(forced).toEqual({ ...warned, error: '' })
    expect(forced.code).toBe(0)
  })

  it('asks a person, and does nothing unless the answer is yes', async () => {
    given(verb)
    for (const typed of ['', 'no', 'y', 'yes!']) {
      api.typed = typed
      const refused = await api.run(verb.argv)
      expect(refused).toEqual({ code: 1, out: '', error: `${told(verb)}Nothing was done.\n` })
    }
    expect(api.changes).toEqual([])
    api.typed = 'yes'
    expect(await api.run(verb.argv)).toMatchObject({ code: 0, error: told(verb) })
    expect(done()).toBe(true)
    expect(new Set(api.questions)).toEqual(new Set(['Type yes to continue: ']))
  })

  it('with SVC_CONFIRM=always demands -force, of scripts and of people', async () => {
    given(verb)
    api.environment.set('SVC_CONFIRM', 'always')
    for (const typed of [undefined, 'yes']) {
      api.typed = typed
      const refused = await api.run(verb.argv)
      const hint = 'Nothing was done, because SVC_CONFIRM is always: add -force to do it.\n'
      expect(refused).toEqual({ code: 1, out: '', error: `${told(verb)}${hint}` })
    }
    expect([api.changes, api.questions]).toEqual([[], []])
    const [first = '', ...rest] = splitPath(verb.argv)
    expect((await api.run([...first.split(' '), '-force', ...rest])).code).toBe(0)
    expect(done()).toBe(true)
  })

  it('says and asks nothing where nothing would be lost', async () => {
    given(verb, verb.harmless)
    api.typed = ''
    api.environment.set('SVC_CONFIRM', 'always')
    expect(await api.run(verb.argv)).toMatchObject({ code: 0, error: '' })
    expect([done(), api.questions]).toEqual([true, []])
  })

  it('says that the losses are unknown where the token may not read them', async () => {
    given(verb, Object.fromEntries(Object.keys(verb.reads).map((what) => [what, [403, 'Permission denied'] as const])))
    const { code, error } = await api.run(verb.argv)
    expect([code, done()]).toEqual([0, true])
    expect(error).toMatch(/^Warning: What would be lost is unknown: .*403 \(Permission denied\)\.\n$/)
  })

  it('says so too where the agent is there and its answer is not, and demands -force then', async () => {
    given(verb)
    api.environment.set('SVC_CONFIRM', 'always')
    for (const failure of [{ kind: 'timeout' }, { kind: 'broken', message: 'reset', fault: 'other' }] as const) {
      api.failingReads = (to) => ({ ...failure, to })
      const { code, error } = await api.run(verb.argv)
      expect([code, api.changes]).toEqual([1, []])
      expect(error).toMatch(/^Warning: What would be lost is unknown: .*(no answer in time|reset)\.\n/)
    }
  })

  it('leaves it to the command to say that there is no agent', async () => {
    given(verb)
    api.environment.set('SVC_CONFIRM', 'always')
    api.failingReads = (to) => ({ kind: 'refused', to })
    expect((await api.run(verb.argv)).error).not.toContain('Warning')
    expect(api.changes.length).toBeLessThanOrEqual(1)
  })
})

/** The words of the command, and what follows them. */
function splitPath(argv: readonly string[]): readonly string[] {
  const { path } = commandTree.commands.find((each) => each.path.every((word, at) => argv[at] === word)) ?? { path: [] }
  return [path.join(' '), ...argv.slice(path.length)]
}

describe('the guard of snapshot restore', () => {
  it('compares the archive with the state, and lets nothing change before a person says yes', async () => {
    const world = await CliWorld.begun()
    // Archives are packed in turns of their own, which only time gives.
    Object.assign(world.sessions.server.agent, { env: createHostEnv({ logSink: () => undefined, logLevel: 'error' }) })
    const file = join(directory, 'a.snap')
    for (const key of ['a', 'b']) await world.run(['kv', 'put', key, 'old'])
    await world.run(['snapshot', 'save', file])
    expect((await world.run(['snapshot', 'restore', file])).error).toBe('')
    for (const key of ['b', 'c', 'd']) await world.run(['kv', 'put', key, 'new'])
    const warning =
      /^Warning: the command sets the state back to index \d+: it removes 2 records and gives 1 an earlier value \(kv 2 and 1\)\.\n/
    const refused = await world.run(['snapshot', 'restore', file], '', 'no')
    expect([refused.code, refused.out]).toEqual([1, ''])
    expect(refused.error).toMatch(warning)
    expect(await world.textAt('c')).toBe('new')
    const warned = await world.run(['snapshot', 'restore', file])
    expect([warned.code, warned.out]).toEqual([0, 'Restored snapshot\n'])
    expect(warned.error).toMatch(warning)
    expect(await world.textAt('b')).toBe('old')
  })
})

describe('SVC_CONFIRM', () => {
  it('is always or unset: another value would promise a safety that is not there', async () => {
    api.on('DELETE /v1/kv/a?recurse=', [200, true])
    api.environment.set('SVC_CONFIRM', 'yes')
    const { code, error } = await api.run(['kv', 'delete', '-recurse', 'a'])
    expect([code, error]).toEqual([1, 'SVC_CONFIRM is "yes": set it to always, or unset it. Nothing was done.\n'])
    expect(api.asked).toEqual([])
  })
})

describe('the table of docs/operations.md', () => {
  it('has each guarded command, in which case it warns, and what it says', () => {
    const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
    const guarded = commandTree.commands.filter(({ guard }) => guard !== undefined)
    for (const { path, guard } of guarded) {
      expect(page).toContain(`| \`svc ${path.join(' ')}\` | ${guard?.when} | ${guard?.says} |\n`)
    }
    expect(guarded).toHaveLength(8)
  })
})
