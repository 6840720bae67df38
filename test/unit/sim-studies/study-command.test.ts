import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runSimCli } from '../../../sim/cli/program.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { hostDisk } from '../../../src/host/disk.ts'

describe('svc-sim study', () => {
  let directory: string
  let out: string
  let error: string

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'svc-study-'))
    out = ''
    error = ''
  })

  afterEach(() => rmSync(directory, { recursive: true }))

  function run(...argv: string[]): Promise<number> {
    const terminal: Pick<
      SimTerminal,
      'out' | 'error' | 'disk' | 'wallMs' | 'createPlatform' | 'version' | 'pageTemplate'
    > = {
      out: (text) => {
        out += text
      },
      error: (text) => {
        error += text
      },
      disk: hostDisk,
      wallMs: () => 0,
      createPlatform,
      version: '1.4.0',
      pageTemplate: () => '<!-- title --><!-- film -->',
    }
    return runSimCli(argv, terminal as SimTerminal)
  }

  it('prints the table and writes the graphs, and a page of both', async () => {
    const file = join(directory, 'elections.svg')
    const html = join(directory, 'elections.html')
    expect(await run('study', 'election', '--trials', '2', '--seed', '3', '--svg', file, '--html', html)).toBe(0)
    const page = readFileSync(html, 'utf8')
    expect(page).toContain(readFileSync(file, 'utf8'))
    expect(page.match(/<text class="title"/g)).toHaveLength(4)
    expect(page).toContain('Seed 3.')
    expect(page.match(/^\d+–\d+ +2 /gm)).toHaveLength(10)
    expect(out.match(/^\d+–\d+ +2 /gm)).toHaveLength(10)
    expect(out).toContain('Seed 3.')
    expect(readFileSync(file, 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s)
    expect(error).toBe('')
  })

  it.each([
    [['study', 'election', '--trials', '0'], 'from 1 to 100000'],
    [['study', 'election', '--trials', 'many'], 'whole number'],
    [['study', 'election', '--seed', '-1'], 'whole number'],
    [['study', 'elections'], "unknown command 'elections'"],
    [['study'], 'Usage: svc-sim study'],
    [['study', 'convergence', '--members', '1,10'], 'sizes from 2 to 8000'],
    [['study', 'convergence', '--members', 'few'], 'whole number'],
    [['study', 'lifeguard', '--trials', '0'], 'from 1 to 100000'],
    [['study', 'lifeguard', '--only', 'SWIM,Raft'], 'Write names such as SWIM,Lifeguard'],
    [['study', 'election', '--colour'], "unknown option '--colour'"],
  ])('%j: says what is wrong and exits with 2', async (argv, message) => {
    expect(await run(...argv)).toBe(2)
    expect(error.split('\n')[0]).toContain(message)
    expect(out).toBe('')
  })

  it('prints what pools of several sizes do', async () => {
    expect(await run('study', 'convergence', '--members', '4,9', '--trials', '1')).toBe(0)
    expect(out.match(/^ *[49] +1 /gm)).toHaveLength(2)
    expect(out).toContain('From 4 to 9 members')
  })

  it('finds out before the work that the file cannot be written', async () => {
    expect(await run('study', 'election', '--trials', '1', '--svg', join(directory, 'nowhere', 'x.svg'))).toBe(2)
    expect(error).toContain('cannot be written (not-found): name another file')
    expect(out).toBe('')
  })
})
