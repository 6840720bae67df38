import type { Env } from '../env/env.ts'
import type { Terminal } from '../env/terminal.ts'

/** Work that ends sooner shows nothing. */
const silentMs = 300
const everyMs = 200

/** Clears the line of the terminal that the cursor is in. */
const clearLine = '\r\u001b[K'

/** How many bytes of the work are done. */
export type TellBytes = (bytes: number) => void

/**
 * Runs work to its end. Meanwhile standard error shows for how long it goes on already, and how many bytes are done if
 * the work tells; nothing where standard error is not a terminal, so that scripts and logs stay as they are.
 */
export async function withProgress<T>(
  { env, terminal }: { readonly env: Pick<Env, 'clock' | 'timers'>; readonly terminal: Terminal },
  title: string,
  work: (told: TellBytes) => Promise<T>,
): Promise<T> {
  if (terminal.errorInteractive !== true) return work(() => undefined)
  const beganMs = env.clock.monoMs()
  let isShown = false
  let size = ''
  const show = (): void => {
    terminal.error(`${clearLine}${title}: ${size}${Math.floor((env.clock.monoMs() - beganMs) / 1000)} s`)
    isShown = true
    timer = env.timers.after(everyMs, show)
  }
  let timer = env.timers.after(silentMs, show)
  try {
    return await work((bytes) => {
      size = `${sizeText(bytes)}, `
    })
  } finally {
    timer.close()
    if (isShown) terminal.error(clearLine)
  }
}

export function sizeText(bytes: number): string {
  return bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`
}
