import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { otherNode } from '../tools/other-node.ts'
import { projectRoot, type SvcSimOptions, svcSim, traceHashOf } from './svc-sim.ts'

const file = join(projectRoot, 'scenarios/election-under-partition.yaml')

async function hashWith(options: SvcSimOptions, ...flags: readonly string[]): Promise<string> {
  const finished = await svcSim(['run', file, '--seed', '7', ...flags], options)
  expect(finished.err).toBe('')
  return traceHashOf(finished)
}

const other = await otherNode()

describe('the same scenario and seed give the same trace', () => {
  it('in two processes', async () => {
    expect(await hashWith({})).toBe(await hashWith({}))
  })

  it('whatever the time zone, the language, the directory and the size of the stack and heap', async () => {
    const here = await hashWith({})
    const environment = { TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }
    const nodeFlags = ['--stack-size=2000', '--max-semi-space-size=1']
    expect(await hashWith({ environment, nodeFlags, cwd: '/' })).toBe(here)
  })

  it('whether or not its story and its trace are written out', async () => {
    const here = await hashWith({})
    expect(await hashWith({}, '--quiet')).toBe(here)
    expect(await hashWith({}, '--trace', '/dev/null')).toBe(here)
  })

  it.skipIf(other.kind === 'missing')(
    `on another release of Node${other.kind === 'missing' ? ` (skipped: ${other.reason})` : ` (${other.version})`}`,
    async () => {
      if (other.kind === 'missing') return
      expect(await hashWith({ node: other.binary })).toBe(await hashWith({}))
    },
  )

  it('and another seed another one', async () => {
    const finished = await svcSim(['run', file, '--seed', '8'])
    expect(traceHashOf(finished)).not.toBe(await hashWith({}))
  })
})
