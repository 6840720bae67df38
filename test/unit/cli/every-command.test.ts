import { describe, expect, it } from 'vitest'
import { err } from '../../../src/base/result.ts'
import type { CliCommand } from '../../../src/cli/command.ts'
import { commandTree } from '../../../src/cli/command-list.ts'
import { runCli } from '../../../src/cli/program.ts'
import type { Env } from '../../../src/env/env.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { FakeTerminal } from './fake-terminal.ts'

const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

/** Runs a command while nobody listens at any address. */
async function run(argv: readonly string[]): Promise<{ code: number; out: string; error: string }> {
  const terminal = new FakeTerminal()
  const to = { host: '127.0.0.1', port: 8500 }
  const http = { ...host.http, request: async () => err({ kind: 'refused' as const, to }) }
  const env = { ...host, disk: host.disk, machine: host.machine, http } as Env
  const code = await runCli(argv, env, terminal)
  return { code, out: terminal.written, error: terminal.complained }
}

const commands = commandTree.commands.map((command) => ({ name: command.path.join(' '), command }))

function standing({ flags }: CliCommand): boolean {
  return flags.some((flag) => flag.standing)
}

/** What each command that asks an agent is given so that it gets so far. */
const operands: Readonly<Record<string, readonly string[]>> = {
  event: ['-name=e'],
  exec: ['true'],
  'force-leave': ['n'],
  join: ['127.0.0.1'],
  keyring: ['-list'],
  'kv delete': ['k'],
  'kv get': ['k'],
  'kv import': ['[{"key":"k","flags":0,"value":""}]'],
  'kv put': ['k', 'v'],
  lock: ['p', 'true'],
  'operator raft remove-peer': ['-id=s'],
  rtt: ['a', 'b'],
  'services deregister': ['-id=s'],
  'services register': ['-name=s'],
  'snapshot save': ['/tmp/never-written.snap'],
  watch: ['-type=nodes'],
}

describe.each(commands)('svc $name', ({ command }) => {
  it('has help that names each of its flags once, apart from those of every command, and is no mistake', async () => {
    const { code, out, error } = await run([...command.path, '-help'])
    expect([code, error]).toEqual([0, ''])
    expect(out).toMatch(new RegExp(`^Usage: svc ${command.path.join(' ')} \\[options\\]`))
    expect(out).toContain(`${command.summary}.\n`)
    for (const { name } of command.flags)
      expect(out.split(new RegExp(`^ {2}-${name}(?:=| )`, 'm')), name).toHaveLength(2)
    expect(out.includes('\nHTTP API Options:\n')).toBe(standing(command))
    expect(out.includes('\nCommand Options:\n')).toBe(command.flags.some((flag) => !flag.standing))
  })

  it('refuses a flag that it does not have, and shows its help', async () => {
    const { code, out, error } = await run([...command.path, '-none'])
    expect([code, out]).toEqual([1, ''])
    expect(error).toMatch(/^flag provided but not defined: -none\n/)
    expect(error).toContain(`Usage: svc ${command.path.join(' ')} `)
  })
})

/** A restore reads its file first, and has its own tests. */
const asking = commands.filter(({ name, command }) => standing(command) && name !== 'snapshot restore')

describe.each(asking)('svc $name', ({ command }) => {
  it('says so when nobody listens where its agent should be, and exits with 1', async () => {
    const { code, error } = await run([...command.path, ...(operands[command.path.join(' ')] ?? [])])
    expect(code).toBe(1)
    expect(error).toContain('connect: connection refused')
  })
})
