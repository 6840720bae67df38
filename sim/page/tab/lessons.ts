import type { PlayLessonTold } from '../../play/lessons-api.ts'
import type { PackedRecording, TabLesson } from '../../play/tab-api.ts'
import { unpackedText } from '../document-film.ts'
import { type Answered, type Channel, parsedAnswer } from '../play/channel.ts'
import { picturePage } from './picture-page.ts'
import { begin, startWorker } from './worker.ts'

/** Under which a browser keeps the student's work. */
const keptAs = 'svc-sim lessons'

/** The lessons that lie in this page; none: it was built without. */
export async function lessonsIn(document: Document): Promise<readonly TabLesson[]> {
  const packed = document.querySelector('#lessons')?.textContent
  return packed === undefined ? [] : (JSON.parse(await unpackedText(packed)) as readonly TabLesson[])
}

function recordingsIn(document: Document): readonly PackedRecording[] {
  return [...document.querySelectorAll<HTMLElement>('.recording')].map(({ dataset, textContent }) => ({
    lesson: dataset['lesson'] ?? '',
    task: Number(dataset['task']),
    packed: textContent,
  }))
}

/** What this browser has kept of the lessons; undefined: nothing, or it keeps nothing for this page. */
export function keptWork(): string | undefined {
  try {
    return localStorage.getItem(keptAs) ?? undefined
  } catch {
    // A browser may refuse to keep anything for a page from a file: the same as if it had kept nothing.
    return undefined
  }
}

export function forgetWork(): void {
  localStorage.removeItem(keptAs)
}

/** Undefined: it was kept. */
function keep(text: string): string | undefined {
  try {
    localStorage.setItem(keptAs, text)
    return undefined
  } catch {
    return 'This browser does not keep your work: it ends with this tab.'
  }
}

/** Asks about lessons in a worker of their own, which begins with the first request, and about all else in the session's. */
export function withLessons(session: Channel, lessons: readonly TabLesson[], document: Document): Channel {
  let desk: Promise<Answered<Channel>> | undefined
  return async (method, path, body) => {
    if (!path.startsWith('lesson')) return session(method, path, body)
    desk ??= startDesk(lessons, document)
    const channel = await desk
    if (!channel.ok) {
      desk = undefined
      return channel
    }
    const answer = await channel.value(method, path, body)
    if (method !== 'POST' || !answer.ok) return answer
    const kept = await channel.value('GET', 'lesson/kept', '')
    const note = kept.ok ? keep(kept.value) : kept.error
    return path === 'lesson/start' ? answer : told(answer, note, channel.value, document)
  }
}

async function startDesk(lessons: readonly TabLesson[], document: Document): Promise<Answered<Channel>> {
  const channel = await startWorker(document)
  const kept = keptWork()
  const what = { lessons, recordings: recordingsIn(document), ...(kept === undefined ? {} : { kept }) }
  const problem = await begin(channel, { does: 'lessons', ...what })
  return problem === undefined ? { ok: true, value: channel } : { ok: false, error: problem }
}

/** The answer with the address of its picture, and with what there is to say of keeping the work. */
async function told(
  answer: Answered<string>,
  note: string | undefined,
  channel: Channel,
  document: Document,
): Promise<Answered<string>> {
  const parsed = parsedAnswer<PlayLessonTold>(answer)
  if (!parsed.ok) return parsed
  const { picture, text } = parsed.value
  const page = picture === null ? null : await picturePage(channel, document)
  const all = note === undefined ? text : `${text}\n\n${note}`
  return { ok: true, value: JSON.stringify({ ...parsed.value, text: all, picture: page }) }
}
