import type { TabAnswer, TabQuestion } from '../play/tab-api.ts'

export type Answered = Pick<TabAnswer, 'status' | 'text'>

/** What goes on in a tab once it has begun. */
export interface Going {
  /** Rejects only for an error of the program. */
  answer(question: TabQuestion): Promise<Answered>
}

export function refused(status: number, error: string): Answered {
  return { status, text: JSON.stringify({ error }) }
}

export function said(value: object): Answered {
  return { status: 200, text: JSON.stringify(value) }
}
