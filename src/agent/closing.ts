/** What has been opened, to be closed in reverse. */
export type Closing = (() => Promise<void> | void)[]

export async function closeAll(closing: Closing): Promise<void> {
  for (const close of closing.reverse()) await close()
  closing.length = 0
}
