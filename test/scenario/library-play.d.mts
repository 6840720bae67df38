export function play(seed: number): Promise<{
  readonly seen: readonly unknown[]
  readonly story: readonly string[]
  readonly hash: string
}>
