import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type DeclaredFormat, declaredFormats, digestOf } from '../../tools/formats.ts'

/** A version, and the digest of the shape that the format had when it got that version. */
interface KeptFormat {
  readonly version: number
  readonly digest: string
  readonly digestOfVersion: number
}

const formats = await declaredFormats()
const path = new URL('../../fixtures/formats.json', import.meta.url)

function kept(): Record<string, KeptFormat> {
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, KeptFormat>
}

/** Why a format may not be as it is; undefined: it may. */
function problemOf(format: DeclaredFormat, before: KeptFormat | undefined): string | undefined {
  const version = format.version ?? before?.version ?? 1
  const digest = digestOf(format)
  if (before === undefined) return `${format.name} is new: SVC_WRITE_DOCS=1 writes it down`
  if (version < before.digestOfVersion)
    return `${format.name} has version ${version} again, after ${before.digestOfVersion}`
  if (digest === before.digest && version === before.digestOfVersion) return undefined
  if (version > before.digestOfVersion)
    return `${format.name} has version ${version} now: SVC_WRITE_DOCS=1 writes its digest down`
  return [
    `${format.name} has another shape and still version ${version}. Agents and data directories of the previous build have the old one.`,
    'Undo the change, or:',
    `1. raise the version in ${format.declaredIn};`,
    '2. keep reading what the previous build wrote, and gate what it cannot read by src/model/release.ts;',
    '3. run the test with SVC_WRITE_DOCS=1, which writes the new digest down;',
    '4. say in CHANGELOG.md, under Formats, what clusters of both builds do (docs/support.md).',
  ].join('\n')
}

/** Writes versions and digests down; a shape that changed under its version stays a failure. */
function writeDown(): void {
  const before = kept()
  const after = formats.map((format): [string, KeptFormat] => {
    const old = before[format.name]
    const version = format.version ?? old?.version ?? 1
    if (old !== undefined && version <= old.digestOfVersion) return [format.name, old]
    return [format.name, { version, digest: digestOf(format), digestOfVersion: version }]
  })
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(after), undefined, 2)}\n`)
}

describe('formats of wire and disk', () => {
  it('change only with a new version (SVC_WRITE_DOCS=1 writes it down)', () => {
    if (process.env['SVC_WRITE_DOCS'] === '1') writeDown()
    const before = kept()
    expect(formats.flatMap((format) => problemOf(format, before[format.name]) ?? [])).toEqual([])
    expect(Object.keys(before)).toEqual(formats.map(({ name }) => name))
  })

  it('a change under the same version fails, and the failure says what to do', () => {
    for (const format of formats) {
      const changed = problemOf({ ...format, shape: [format.shape, 'more'] }, kept()[format.name])
      expect(changed).toMatch(/has another shape and still version \d+\. Agents and data directories/)
      expect(changed).toContain(`raise the version in ${format.declaredIn}`)
    }
  })

  it('have the versions that CHANGELOG.md announces, with the newest release first', () => {
    const page = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8')
    const table = [...page.matchAll(/^\| `([a-z-]+)` \| (\d+) \|/gm)].map(([, name, version]) => [
      name,
      Number(version),
    ])
    const versions = Object.entries(kept()).map(([name, { version }]) => [name, version])
    expect(table.slice(0, versions.length)).toEqual(versions)
  })
})
