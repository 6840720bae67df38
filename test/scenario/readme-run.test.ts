import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sampleNow } from '../tools/sample-run.ts'
import { projectRoot, svcSim } from './svc-sim.ts'

const path = join(projectRoot, 'README.md')
const command = 'npx svc-sim run scenarios/election-under-partition.yaml'
/** The command, the sentence behind it, and the lines of the run. */
const place = new RegExp(`(${command}\n\`\`\`\n\n[^\`]*\n\n\`\`\`\n)([^\`]*)(\n\`\`\`\n)`)

describe('the run that the README shows', () => {
  it('is the run as it is now, with its hash (SVC_WRITE_DOCS=1 writes it)', async () => {
    const page = readFileSync(path, 'utf8')
    const [, before = '', shown = '', after = ''] = place.exec(page) ?? []
    expect(shown).toMatch(/^ {2}trace [0-9a-f]{8}…$/m)
    const { exit, out } = await svcSim(command.split(' ').slice(2))
    expect(exit).toBe(0)
    const now = sampleNow(shown, out)
    if (process.env['SVC_WRITE_DOCS'] === '1')
      writeFileSync(
        path,
        page.replace(place, () => before + now + after),
      )
    else expect(shown).toBe(now)
  })

  it('is compared line by line: another hash, time or server is another run', () => {
    const run = ['    1.000s   s1 leads', '    2.000s   s2 leads', `  trace ${'ab'.repeat(32)}`].join('\n')
    expect(sampleNow('    9.000s   s3 leads\n    …\n  trace 00000000…', run)).toBe(
      '    1.000s   s1 leads\n    …\n  trace abababab…',
    )
    expect(() => sampleNow('    2.000s   s2 follows', run)).toThrow('no line of the run is like this one of the page')
  })
})
