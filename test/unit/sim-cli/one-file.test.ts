import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { oneFileTwice } from '../../../sim/cli/one-file.ts'
import { hostDisk } from '../../../src/host/disk.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'svc-files-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  writeFileSync(join(made, 'a.yaml'), '')
  mkdirSync(join(made, 'in'))
  symlinkSync(join(made, 'a.yaml'), join(made, 'in', 'link.yaml'))
  symlinkSync(made, join(made, 'in', 'back'))
  return made
}

function clash(input: string, ...outputs: readonly string[]): Promise<string | undefined> {
  const named = outputs.map((file, at) => ({ as: `--${'abc'[at]}`, file }))
  return oneFileTwice(hostDisk, [{ as: 'the scenario', file: input }], [...named, { as: '--d', file: undefined }])
}

describe('a file that a command line names twice', () => {
  it.each(['a.yaml', 'in/../a.yaml', './a.yaml', 'in/link.yaml', 'in/back/a.yaml'])('is known as %s', async (name) => {
    const at = folder()
    const [input, output] = [`${at}/a.yaml`, `${at}/${name}`]
    expect(await clash(input, output)).toBe(`--a ${output} would overwrite the scenario ${input}: name another file`)
    const [link, made] = [`${at}/in/link.yaml`, `${at}/new.jsonl`]
    expect(await clash(link, made, output)).toBe(
      `--b ${output} would overwrite the scenario ${link}: name another file`,
    )
  })

  it.each(['new.jsonl', './new.jsonl', 'in/../new.jsonl', 'in/back/new.jsonl'])(
    'is known as %s before it is made',
    async (name) => {
      const at = folder()
      const [one, other] = [`${at}/new.jsonl`, `${at}/${name}`]
      expect(await clash(`${at}/a.yaml`, one, other)).toBe(
        `--a ${one} and --b ${other} are one file: give each its own`,
      )
    },
  )

  it('is none where the names are those of different files, of a device, or of what cannot be', async () => {
    const at = folder()
    expect(await clash(`${at}/a.yaml`, `${at}/b.yaml`, `${at}/in/a.yaml`)).toBeUndefined()
    expect(await clash(`${at}/a.yaml`, '/dev/null', '/dev/null')).toBeUndefined()
    expect(await clash(`${at}/a.yaml`, `${at}/none/a.yaml`, `${at}/none/a.yaml`)).toBeUndefined()
  })
})
