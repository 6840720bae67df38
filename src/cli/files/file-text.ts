import { textOf } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Disk } from '../../env/disk.ts'

/** A file that a command is named may be this long, bytes. */
const fileBytesMax = 8 << 20

/** The text of a file; the error is why it cannot be read. */
export async function fileText(disk: Disk, path: string): Promise<Result<string, string>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return err(`open ${path}: ${file.error.message}`)
  const bytes = await file.value.read(0, fileBytesMax)
  await file.value.close()
  return bytes.ok ? ok(textOf(bytes.value)) : err(`read ${path}: ${bytes.error.message}`)
}
