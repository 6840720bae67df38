import { utf8 } from '../../base/bytes.ts'
import type { Json } from '../../base/json.ts'
import { jsonOrUndefined } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Disk } from '../../env/disk.ts'
import { intentionInFile } from '../api/connect-answers.ts'
import { fileText } from '../flags/values.ts'

/** An intention as it is in a file, which is how it is sent. */
export type IntentionInFile = { readonly [member: string]: Json } & {
  readonly SourceName: string
  readonly DestinationName: string
  readonly Action: string
}

/** The intentions of files, one in each file. */
export async function intentionFiles(
  disk: Disk,
  paths: readonly string[],
): Promise<Result<readonly IntentionInFile[], string>> {
  const found: IntentionInFile[] = []
  for (const path of paths) {
    const text = await fileText(disk, path)
    if (!text.ok) return text
    const read = intentionInFile.safeParse(jsonOrUndefined(utf8(text.value)))
    if (!read.success) return err(`${path} is not an intention: ${read.error.issues[0]?.message ?? 'write { … }'}`)
    found.push(read.data as IntentionInFile)
  }
  return ok(found)
}
