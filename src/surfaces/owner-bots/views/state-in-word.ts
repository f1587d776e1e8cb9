import type { BotState } from '../../../domain/bots/bot-status.ts'
import { state, type Tone } from '../../../http/components/notice.ts'
import type { Html } from '../../../http/html.ts'
import { ownStateWords } from '../../../http/words/bots/frame.ts'

const tones: Record<BotState, Tone> = { online: 'good', connecting: 'warn', offline: 'bad', 'hosting-off': 'neutral' }

export function stateInWord(is: BotState): Html {
  return state({ tone: tones[is], word: ownStateWords[is].word })
}
