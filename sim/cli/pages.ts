import { pageOf } from '../pool/seed-runs.ts'
import { type SentPage, sentPage } from '../pool/warm-worker.ts'
import { readScenario } from './files.ts'
import type { RunFlags } from './run-flags.ts'
import type { SimTerminal } from './terminal.ts'

/** Every file as a page; undefined: one of them is invalid, which was reported. */
export async function readPages(
  files: readonly string[],
  { demands }: Pick<RunFlags, 'demands'>,
  terminal: SimTerminal,
): Promise<readonly SentPage[] | undefined> {
  const platform = terminal.createPlatform()
  const pages: SentPage[] = []
  for (const file of files) {
    const read = await readScenario(terminal.disk, file)
    if (read.ok) pages.push(sentPage(pageOf(read.value.loaded, platform), read.value.text, demands !== false))
    else for (const line of read.error) terminal.error(`${line}\n`)
  }
  platform.close()
  return pages.length === files.length ? pages : undefined
}
