import { useEffect, useState } from 'preact/hooks'
import type { PlayLesson, PlayLessonLine, PlayLessonList } from '../../play/lessons-api.ts'
import type { Doing } from './doing.ts'
import { LessonText } from './lesson-text.tsx'
import type { PlaySession } from './session.ts'

export interface LessonsPanelProps {
  readonly session: PlaySession
  readonly doing: Doing
  /** Name of the lesson whose cluster this is. */
  readonly played: string | null
}

/** All lessons, or the one that is open. */
export function LessonsPanel({ session, doing, played }: LessonsPanelProps) {
  const [list, setList] = useState<PlayLessonList>()
  const [lesson, setLesson] = useState<PlayLesson>()
  const open = async (name: string): Promise<void> => {
    const answer = await session.post<PlayLesson>('lesson/start', { name })
    if (answer.ok) setLesson(answer.value)
    else doing.say({ text: answer.error, isBad: true })
  }
  const look = async (): Promise<void> => {
    const answer = await session.get<PlayLessonList>('lessons')
    if (answer.ok) setList(answer.value)
    else doing.say({ text: answer.error, isBad: true })
  }
  useEffect(() => {
    void look()
    if (played !== null) void open(played)
  }, [])
  if (lesson === undefined) return <LessonList list={list} onOpen={(name) => void open(name)} />
  const back = (): void => {
    setLesson(undefined)
    void look()
  }
  return (
    <div class="lesson">
      <button type="button" onClick={back}>
        all lessons
      </button>
      {lesson.name === played ? null : (
        <p class="hint">The cluster beside is of another session: {session.ownCluster(lesson.number)} has its own.</p>
      )}
      <LessonText key={lesson.name} {...{ session, doing, lesson }} onLesson={setLesson} />
    </div>
  )
}

interface LessonListProps {
  readonly list: PlayLessonList | undefined
  readonly onOpen: (name: string) => void
}

function LessonList({ list, onOpen }: LessonListProps) {
  return (
    <div>
      <h2>Lessons</h2>
      <ol class="events lessons">
        {list?.lessons.map((each) => (
          <li key={each.name} class={each.name === list.current ? 'now' : undefined}>
            <button type="button" onClick={() => onOpen(each.name)}>
              {each.number} {each.title} <em>{doneWords(each)}</em>
            </button>
          </li>
        ))}
      </ol>
    </div>
  )
}

function doneWords({ minutes, right, tasks }: PlayLessonLine): string {
  if (right === tasks) return 'done'
  return right === 0 ? `${minutes} min` : `${minutes} min, ${right} of ${tasks} tasks right`
}
