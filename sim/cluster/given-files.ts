import { utf8 } from '../../src/base/bytes.ts'
import { invariant } from '../../src/base/invariant.ts'
import type { Env } from '../../src/env/env.ts'

/** Puts files, by name, into a directory of a machine, as an operator or a platform does. */
export async function giveFiles(env: Env, directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  await env.disk.makeDirectory(directory)
  for (const [name, text] of files) {
    const file = await env.disk.open(`${directory}/${name}`, 'create')
    invariant(file.ok, 'a machine that has just come up can write', { name })
    await file.value.write(0, utf8(text))
    await file.value.sync()
    await file.value.close()
  }
  await env.disk.syncDirectory(directory)
}
