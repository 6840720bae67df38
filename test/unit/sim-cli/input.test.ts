import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readPieces } from '../../../sim/platform/input.ts'

function file(): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-input-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const made = join(directory, 'a')
  writeFileSync(made, 'hello')
  return made
}

describe('reading a file piece by piece', () => {
  it('does not take a mistake of the reader for an error of the file', async () => {
    const mistake = new TypeError('a mistake')
    const code = Object.assign(new Error('no room'), { code: 'ENOSPC' })
    for (const thrown of [mistake, code]) {
      const reading = readPieces(file(), () => Promise.reject(thrown))
      await expect(reading).rejects.toBe(thrown)
    }
  })

  it('says what the system has against the file', async () => {
    const path = file()
    const take = () => Promise.resolve(true)
    expect(await readPieces(`${path}.none`, take)).toMatchObject({ error: { kind: 'not-found' } })
    expect(await readPieces(join(path, '..'), take)).toMatchObject({ error: { kind: 'is-directory' } })
    expect(await readPieces(path, take)).toMatchObject({ ok: true })
  })
})
