import type { BotState } from '../../../domain/bots/status/bot-status.ts'
import { state, type Tone } from '../../../pages/components/notice.ts'
import type { Html } from '../../../pages/html.ts'
import { ownStateWords } from './words.ts'

const tones: Record<BotState, Tone> = { online: 'good', connecting: 'warn', offline: 'bad', 'hosting-off': 'neutral' }

export function stateLabel(is: BotState): Html {
  return state({ tone: tones[is], word: ownStateWords[is].word })
}
