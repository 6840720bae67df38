import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { text as textFrom } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const program = fileURLToPath(new URL('./child-program.mjs', import.meta.url))

function start(...argv: string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, ...argv], { env: { ...process.env, GIVEN: 'given' } })
}

async function outcome(child: ChildProcessWithoutNullStreams) {
  const [out, error, [code]] = await Promise.all([textFrom(child.stdout), textFrom(child.stderr), once(child, 'close')])
  return { out, error, code }
}

describe('an unexpected error', () => {
  it.each([
    ['throw', /^svc: fatal: InvariantViolation: two leaders in one term \(term=7\) at child-program\.mjs:\d+\n$/],
    ['reject', /^svc: fatal: TypeError: nobody waits for me at child-program\.mjs:\d+\n$/],
    ['odd', /^svc: fatal: not an error\n$/],
  ])('is one line on standard error and exit code 1: %s', async (part, line) => {
    const { out, error, code } = await outcome(start(part))
    expect(error).toMatch(line)
    expect({ out, code }).toEqual({ out: '', code: 1 })
  })
})

describe('a process that may open nothing more', () => {
  it('goes on, whatever it is asked for, and says so of itself until it may again', async () => {
    const line = `ulimit -n 100 && exec "${process.execPath}" "${program}" descriptors`
    const { out, error, code } = await outcome(spawn('/bin/sh', ['-c', line]))
    const well = 'true true true true true well well refused true'
    const without = 'false true false false false no-descriptor no-descriptor too many open files'
    const lines = [well, without, well, '']
    expect({ out: out.split('\n'), error, code }).toEqual({ out: lines, error: '', code: 0 })
  })
})

describe('signals', () => {
  it('call their handlers instead of ending the process', async () => {
    const child = start('signals')
    const said = outcome(child)
    await once(child.stdout, 'data')
    child.kill('SIGHUP')
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    expect(await said).toEqual({ out: 'ready\nhangup\nasked to end\n', error: '', code: 0 })
  })
})

describe('the terminal', () => {
  it('gives words, environment and input, takes output and error, and ends with the code', async () => {
    const child = start('echo', 'a', 'b c')
    child.stdin.end(new Uint8Array(300_000))
    expect(await outcome(child)).toEqual({ out: 'a|b c given 300000', error: 'false', code: 5 })
  })

  it('loses nothing of a long output to its exit', async () => {
    const { out } = await outcome(start('much'))
    expect(out.split('\n')).toHaveLength(50_001)
  })

  it.each([
    ['much', 1, /^svc: fatal: Error: ENOSPC: no space left on device/],
    ['log', 0, /^svc: standard output cannot be written: no space left on device\n$/],
  ] as const)('on a full disk fails a command, not an agent that logs: %s', async (part, code, line) => {
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, [program, part], { stdio: ['ignore', full, 'pipe'] })
    closeSync(full)
    if (child.stderr === null) throw new Error('it was asked for')
    const [error, ended] = await Promise.all([textFrom(child.stderr), once(child, 'close')])
    expect(error).toMatch(line)
    expect(ended).toEqual([code, null])
  })

  it('does not mind a reader that leaves early', async () => {
    const child = start('much')
    child.stdout.once('data', () => child.stdout.destroy())
    const [error, [code]] = await Promise.all([textFrom(child.stderr), once(child, 'close')])
    expect({ error, code }).toEqual({ error: '', code: 0 })
  })
})
