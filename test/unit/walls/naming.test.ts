import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../../tools/planted.ts'

/** Where texts of the program's own stand that are told under the naming where they leave the process. */
const told = [
  /^config\/(?:agent-flags|json-schema)\.ts$/,
  /^config\/(?:keys|past|parts)\//,
  /^cli\/(?:manual|upgrade-check|cluster-condition|program|api\/client)\.ts$/,
  /^cli\/checkup\//,
  /^cli\/commands\//,
  /^http\/(?:openapi\/document|ui\/built-in-files)\.ts$/,
  /^features\/intention\/questions\.ts$/,
  /^model\/(?:[a-z]+-changes|upgrade-notes)\.ts$/,
]

/** Lines that stay, each with its reason. */
const kept: ReadonlyMap<string, string> = new Map([
  ['src/agent/pool/discovery/kubernetes.ts', 'a host name of another product'],
  ['src/pki/spiffe.ts', 'a segment of SPIFFE IDs under every naming'],
  ['src/raft/log/segment-file.ts', 'the form of a file, which is the same under every naming'],
  ['src/raft/log/snapshot-file.ts', 'the form of a file, which is the same under every naming'],
  ['src/raft/log/watermark.ts', 'the form of a file, which is the same under every naming'],
  ['src/agent/mesh/leaf-source.ts', 'a name of a metric, which telemetry tells under the naming'],
  ['src/agent/telemetry/telemetry.ts', 'tells those names'],
])

/** The topic of a log line, which the log tells under the naming. */
const topic = /log\.write\('[a-z]+', 'svc', |^\s+'svc',$/

function linesOfCode(): readonly { readonly file: string; readonly line: string }[] {
  const src = join(projectRoot, 'src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  return files.flatMap((name) => {
    const text = readFileSync(join(src, name), 'utf8')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/^\s*\/\/.*$/gm, '')
    return text.split('\n').map((line) => ({ file: `src/${name.replaceAll('\\', '/')}`, line }))
  })
}

describe('the names of the product', () => {
  const elsewhere = linesOfCode().filter(({ file }) => !file.startsWith('src/model/naming/'))

  it("the field's is spelled nowhere but in its room, and in what aliases are by default", () => {
    const spelled = elsewhere
      .filter(({ line }) => /consul/i.test(line))
      .map(({ file, line }) => `${file}: ${line.trim()}`)
    expect(spelled).toEqual(["src/config/keys/network.ts: default: ['consul'],"])
  })

  it('the own is written in texts that are told under the naming, and otherwise with a reason', () => {
    const written = elsewhere.filter(({ line }) =>
      /(?<![\w/])(?:svc|Svc|SVC)(?![\w/]|-sim)|svc(?:raft|snap|mark)/.test(line),
    )
    const strange = written.filter(({ file, line }) => {
      return !kept.has(file) && !topic.test(line) && !told.some((pattern) => pattern.test(file.slice('src/'.length)))
    })
    expect(strange.map(({ file, line }) => `${file}: ${line.trim()}`)).toEqual([])
    for (const file of kept.keys())
      expect(elsewhere.filter((each) => each.file === file && /svc/.test(each.line))).not.toEqual([])
  })
})
