import { textOf } from '../../../base/bytes.ts'
import type { Env } from '../../../env/env.ts'

/** A file in the data directory of the leader with which an operator allows another bootstrap. */
const fileName = 'acl-bootstrap-reset'

/** Enough for the digits of an index and some whitespace. */
const bytesMax = 64

/** The index that the operator has written into the file; undefined: there is no file, or no index in it. */
export async function resetGiven({ disk, log }: Env, dataDir: string): Promise<number | undefined> {
  const file = await disk.open(pathIn(dataDir), 'read')
  if (!file.ok) {
    if (file.error.kind !== 'not-found')
      log.write('warn', 'acl', 'could not read the reset', { why: file.error.message })
    return undefined
  }
  const bytes = await file.value.read(0, bytesMax)
  await file.value.close()
  if (!bytes.ok) {
    log.write('warn', 'acl', 'could not read the reset', { why: bytes.error.message })
    return undefined
  }
  const text = textOf(bytes.value).trim()
  if (/^\d{1,15}$/.test(text)) return Number(text)
  log.write('warn', 'acl', `${fileName} holds no index`, {})
  return undefined
}

/** Removes the file after the reset. If a crash leaves it, it names an index that is no longer valid. */
export async function forgetReset({ disk, log }: Env, dataDir: string): Promise<void> {
  const removed = await disk.remove(pathIn(dataDir))
  if (removed.ok || removed.error.kind === 'not-found') return
  log.write('warn', 'acl', `could not remove ${fileName}`, { why: removed.error.message })
}

function pathIn(dataDir: string): string {
  return `${dataDir}/${fileName}`
}
