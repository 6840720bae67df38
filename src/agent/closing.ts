/** Callbacks that close what was opened, to be called in reverse order. */
export type Closing = (() => Promise<void> | void)[]

export async function closeAll(closing: Closing): Promise<void> {
  for (const close of closing.reverse()) await close()
  closing.length = 0
}
