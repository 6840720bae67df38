import { readWholeFile } from '../../agent/boot/whole-file.ts'
import { textOf, utf8 } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Disk, DiskFailure, Readers } from '../../env/disk.ts'

/** A certificate and its key, as PEM texts. */
export interface Pair {
  readonly certificate: string
  readonly key: string
}

/** `#DOMAIN#` stands for the domain. */
export const defaultAuthorityFile = `#DOMAIN#-agent-ca.pem`
export const defaultAuthorityKeyFile = `#DOMAIN#-agent-ca-key.pem`

export async function readPair(disk: Disk, certificate: string, key: string): Promise<Result<Pair, string>> {
  const [first, second] = [await readWholeFile(disk, certificate), await readWholeFile(disk, key)]
  if (!first.ok) return err(`Error reading CA: ${whyNot(first.error)}`)
  if (!second.ok) return err(`Error reading CA key: ${whyNot(second.error)}`)
  return ok({ certificate: textOf(first.value), key: textOf(second.value) })
}

/**
 * Writes both into new files: the certificate readable for every user, the key for its owner. Existing files are not
 * overwritten; `taken` is one of them.
 */
export async function writePair(
  disk: Disk,
  files: { readonly certificate: string; readonly key: string },
  pair: Pair,
): Promise<Result<undefined, { readonly taken: boolean; readonly why: string }>> {
  const made = await writeNew(disk, files.certificate, pair.certificate, 'everybody')
  if (!made.ok) return err({ taken: made.error.kind === 'exists', why: whyNot(made.error) })
  const second = await writeNew(disk, files.key, pair.key, 'owner')
  if (second.ok) return second
  // A certificate whose key was not saved is useless.
  await disk.remove(files.certificate)
  return err({ taken: second.error.kind === 'exists', why: whyNot(second.error) })
}

async function writeNew(
  disk: Disk,
  path: string,
  text: string,
  readers: Readers,
): Promise<Result<undefined, DiskFailure>> {
  const file = await disk.open(path, 'create-new', readers)
  if (!file.ok) return file
  const written = await file.value.writeSynced(0, utf8(text))
  await file.value.close()
  if (!written.ok) await disk.remove(path)
  return written
}

function whyNot({ kind, path, message }: DiskFailure): string {
  return kind === 'exists' ? `${path} already exists` : `open ${path}: ${message}`
}
