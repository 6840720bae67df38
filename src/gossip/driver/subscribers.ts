import type { Closable } from '../../env/async.ts'

/** Callbacks for one kind of news. The same function may subscribe more than once. */
export class Subscribers<News> {
  readonly #subscribers = new Set<{ readonly use: (news: News) => void }>()

  get areNone(): boolean {
    return this.#subscribers.size === 0
  }

  add(use: (news: News) => void): Closable {
    const subscriber = { use }
    this.#subscribers.add(subscriber)
    return { close: () => this.#subscribers.delete(subscriber) }
  }

  /** Calls those that subscribed before the call, in their order. */
  tell(news: News): void {
    for (const { use } of [...this.#subscribers]) use(news)
  }

  clear(): void {
    this.#subscribers.clear()
  }
}
