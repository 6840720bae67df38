import type { Env } from '../env/env.ts'
import type { Terminal } from '../env/terminal.ts'

/** Work that ends sooner shows nothing. */
const silentMs = 300
const everyMs = 200

/** Clears the line of the terminal that the cursor is in. */
const clearLine = '\r\u001b[K'

/**
 * Runs work to its end. Meanwhile standard error shows that it goes on and for how long already; nothing where standard
 * error is not a terminal, so that scripts and logs stay as they are.
 */
export async function withProgress<T>(
  { env, terminal }: { readonly env: Pick<Env, 'clock' | 'timers'>; readonly terminal: Terminal },
  title: string,
  work: () => Promise<T>,
): Promise<T> {
  if (terminal.errorInteractive !== true) return work()
  const beganMs = env.clock.monoMs()
  let isShown = false
  const show = (): void => {
    terminal.error(`${clearLine}${title}: ${Math.floor((env.clock.monoMs() - beganMs) / 1000)} s`)
    isShown = true
    timer = env.timers.after(everyMs, show)
  }
  let timer = env.timers.after(silentMs, show)
  try {
    return await work()
  } finally {
    timer.close()
    if (isShown) terminal.error(clearLine)
  }
}

export function sizeText(bytes: number): string {
  return bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`
}
