import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runFuzzCli } from '../../tools/fuzz/cli.ts'

const root = join(import.meta.dirname, '../../..')
const isLong = process.env['SVC_TEST_LONG'] === '1'

function fuzz(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly error: string }> {
  return new Promise((resolve) => {
    const command = [join(root, 'test/tools/fuzz/main.mjs'), ...args]
    const child = execFile(process.execPath, command, { cwd: root, maxBuffer: 1 << 24 }, (_, out, error) => {
      resolve({ code: child.exitCode ?? -1, out, error })
    })
  })
}

/** What took how long is another thing each time. */
const plain = (out: string): string =>
  out.replace(/, [\d.]+ s$/gm, '').replace(/[\d.]+ ms of CPU|\d+ bytes of memory/g, 'so much')

describe('decoders of bytes from outside', () => {
  it('refuse what is wrong as values, with few steps, little time and little memory, in mutations of good inputs', async () => {
    const { code, out, error } = await fuzz('all', '--inputs', isLong ? '50000' : '50')
    expect(error).toBe('')
    expect(
      out
        .trimEnd()
        .split('\n')
        .filter((line) => !/^[\w-]+: nothing found, seed 1: /.test(line)),
    ).toEqual([])
    expect(code).toBe(0)
  }, 240_000)
})

describe('the fuzzer', () => {
  it('finds flaws that were planted, and tells the shortest input that shows each', async () => {
    const flaws = [
      ['crash', 'crash, 4 bytes: TypeError: behind four bytes'],
      ['steps', 'steps, \\d+ bytes: \\d+ steps for \\d+ bytes, and \\d+ are allowed'],
      // How far it is shortened depends on when memory is collected.
      ['bytes', 'bytes, [3-9] bytes: \\d+ bytes of memory for [3-9] bytes, and'],
      ['endless', 'crash, 1 bytes: Error: a loop without an end'],
      ['cpu', 'cpu, \\d+ bytes: [\\d.]+ ms of CPU for \\d+ bytes, and 50 are allowed'],
    ] as const
    const names = flaws.map(([name]) => `planted-${name}`)
    const { code, out } = await fuzz(...names, '--inputs', '40000', '--seed', '3', '--findings', '1')
    for (const [name, why] of flaws) {
      expect(out).toMatch(new RegExp(`^planted-${name}: ${why}`, 'm'))
      expect(out).toMatch(new RegExp(`^planted-${name}: 1 FOUND, seed 3: `, 'm'))
    }
    expect(code).toBe(1)
    const file = /repeat with: npm run fuzz -- planted-crash --input (\S+)/.exec(out)?.[1] ?? ''
    expect(readFileSync(join(root, file), 'latin1')).toBe('FUZ[')
    const again = await fuzz('planted-crash', '--input', file)
    expect(again.out).toMatch(/^planted-crash: 4 bytes, \d+ steps: crash: TypeError: behind four bytes/)
    expect(again.code).toBe(1)
  }, 240_000)

  it('does the same for the same seed, and something else for another', async () => {
    const run = (seed: string) => fuzz('planted-steps', '--inputs', '300', '--seed', seed)
    const [one, again, other] = await Promise.all([run('10'), run('10'), run('11')])
    expect(plain(again.out)).toBe(plain(one.out))
    // Inputs kept and steps are hardly the same twice by chance.
    expect(plain(other.out).replace('seed 11', 'seed 10')).not.toBe(plain(one.out))
  })

  it.each([
    ['no target', [], 'Name a target, or all.'],
    ['a target that is not there', ['planted-nothing'], 'There is no target planted-nothing.'],
    [
      'a number that is none',
      ['planted-cpu', '--inputs', 'many'],
      '--inputs, --seed and --findings take whole numbers',
    ],
    ['an unknown flag', ['planted-cpu', '--fast'], "Unknown option '--fast'"],
  ])('refuses %s with exit code 2', async (_, args, why) => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => written.mockRestore())
    expect(await runFuzzCli(args)).toBe(2)
    expect(written.mock.calls.join('')).toContain(why)
  })
})
