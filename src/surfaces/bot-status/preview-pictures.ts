import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { PublicBot } from '../../domain/bots/status/status-board.ts'
import type { BotHistory } from '../../domain/bots/status/status-history.ts'
import { uptimeShare } from '../../domain/bots/status/status-span.ts'
import type { Clock } from '../../domain/clock.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Tone } from '../../pages/components/elements.ts'
import { uptimeWords } from '../../pages/components/figures.ts'
import { drawings } from '../../pages/components/pictures.ts'
import { type BarKind, barsOf } from '../../pages/components/status-strip.ts'
import { type Html, html, t } from '../../pages/html.ts'
import { stateWords } from './words.ts'

interface PreviewPicture {
  png: Uint8Array
  version: string
}

interface Job {
  svg: string
  resolve: (png: Uint8Array) => void
  reject: (error: unknown) => void
}

/** Renders and caches SVG drawings as PNG, in a worker thread that ends when idle. Cache and queue are bounded. */
export class PreviewPictures {
  readonly #kept = new Map<string, Promise<PreviewPicture>>()
  readonly #jobs: Job[] = []
  readonly #clock: Clock
  readonly #stopChecking: () => void
  #worker: Worker | undefined
  #lastUseMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#stopChecking = clock.every(limits.previewIdleMs, () => {
      if (this.#jobs.length === 0 && clock.nowMs() - this.#lastUseMs >= limits.previewIdleMs) this.#stopWorker()
    })
  }

  /** Returns the picture, or `undefined` if the queue is full. */
  of(svg: string): Promise<PreviewPicture> | undefined {
    const version = createHash('sha256').update(svg).digest('base64url').slice(0, 16)
    const kept = this.#kept.get(version)
    if (kept !== undefined) {
      // Moves the entry to the end of the map, so that the first entry is the least recently used one.
      this.#kept.delete(version)
      this.#kept.set(version, kept)
      return kept
    }
    if (this.#jobs.length >= limits.previewsWaitingMax) return undefined
    const made = this.#make(svg).then((png) => ({ png, version }))
    this.#kept.set(version, made)
    made.catch(() => this.#kept.delete(version))
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > limits.previewsKeptMax && oldest !== undefined) this.#kept.delete(oldest)
    return made
  }

  async close(): Promise<void> {
    this.#stopChecking()
    await this.#stopWorker()
  }

  #make(svg: string): Promise<Uint8Array> {
    this.#lastUseMs = this.#clock.nowMs()
    return new Promise((resolve, reject) => {
      this.#jobs.push({ svg, resolve, reject })
      if (this.#jobs.length === 1) this.#next()
    })
  }

  /** Sends the first job. The worker renders only one drawing at a time. */
  #next(): void {
    const [job] = this.#jobs
    if (job === undefined) return
    this.#worker ??= this.#startWorker()
    this.#worker.postMessage(job.svg)
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./preview-worker.ts', import.meta.url))
    worker.unref()
    worker.on('message', (png: Uint8Array) => {
      this.#jobs.shift()?.resolve(png)
      this.#next()
    })
    // If a worker fails, only its current drawing is lost. A new worker renders the others.
    worker.on('error', (error) => this.#onWorkerEnd(worker, error))
    worker.on('exit', () => this.#onWorkerEnd(worker, new Error('preview worker ended')))
    return worker
  }

  #onWorkerEnd(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#jobs.shift()?.reject(error)
    this.#next()
  }

  async #stopWorker(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    for (const job of this.#jobs.splice(0)) job.reject(new Error('the service is stopping'))
    await worker?.terminate()
  }
}

/** In pixels, as recommended for Open Graph images. */
export const previewSize = { width: 1200, height: 630 }

/** The stylesheet's dark colours. An image can't follow the viewer's colour scheme. */
const colours = {
  ground: '#11151a',
  line: '#2d3540',
  ink: '#e7eaee',
  soft: '#a5afbc',
  lamp: '#f0ad3f',
  stone: '#64748b',
}
const toneColours: Record<Tone, string> = { good: '#6cc596', warn: '#dcb765', bad: '#f2958c', neutral: '#a5afbc' }
const barColours: Record<BarKind, string> = {
  up: toneColours.good,
  down: toneColours.bad,
  off: '#717d8d',
  unknown: '#717d8d',
}

const margin = 80
const inner = previewSize.width - 2 * margin

/** Draws the image for previews of links to the page, as an SVG, using the Inter font. */
export function previewPicture({ bot, history, host }: { bot: PublicBot; history: BotHistory; host: string }): Html {
  const { tone, icon, word } = stateWords[bot.state]
  const name = fitted(drawable(bot.status.name) || bot.status.chatPlatformId)
  const share = uptimeShare(history.days)
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${previewSize.width}" height="${previewSize.height}" font-family="Inter" fill="${colours.ink}">
<rect width="100%" height="100%" fill="${colours.ground}"/>
<g transform="translate(${margin - 6} 58) scale(2)"><path fill="${colours.stone}" d="M3 30V15a13 13 0 0 1 26 0v15h-6.500v-6a6.5 6.5 0 0 0-13 0v6z"/><path fill="${colours.lamp}" d="M13 13.500V10a3 3 0 0 1 6 0v3.500z"/></g>
<text x="${margin + 76}" y="106" font-size="30" fill="${colours.soft}">${host.length <= 48 ? host : `${host.slice(0, 47)}…`}</text>
<text x="${margin}" y="258" font-size="${name.size}" font-weight="600" letter-spacing="-1">${name.text}</text>
<g transform="translate(${margin} 304) scale(3.2)" fill="none" stroke="${toneColours[tone]}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="${drawings[icon]}"/></g>
<text x="${margin + 84}" y="354" font-size="56" font-weight="600" fill="${toneColours[tone]}">${word}</text>
<line x1="${margin}" x2="${margin + inner}" y1="416" y2="416" stroke="${colours.line}" stroke-width="2"/>
${strip(history)}
<text x="${margin}" y="578" font-size="28" fill="${colours.soft}">${t`Last 90 days`}</text>
${share !== null && html`<text x="${margin + inner}" y="578" font-size="28" font-weight="600" text-anchor="end">${uptimeWords(share)}</text>`}
</svg>`
}

function strip({ days }: BotHistory): Html {
  const step = inner / days.length
  return html`<g transform="translate(${margin} 446) scale(1 2)">${days.map((day, index) =>
    barsOf(day).map(
      ({ kind, y, height }) =>
        html`<rect x="${(index * step).toFixed(2)}" y="${y}" width="${(step * 0.72).toFixed(2)}" height="${height}" fill="${barColours[kind]}"/>`,
    ),
  )}</g>`
}

/** Returns those characters of the name for which the font has glyphs. */
function drawable(name: string): string {
  return name
    .replace(
      /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\x20-\x7e\xa1-\xff\u2010-\u2027\u2030-\u203a€™]/gu,
      '',
    )
    .replace(/ {2,}/g, ' ')
    .trim()
}

const largest = 96
const smallest = 56

/** Returns the name and the largest font size at which it fits on one line, truncated if that would be too small. */
function fitted(name: string): { text: string; size: number } {
  const size = Math.min(largest, inner / widthInEm(name))
  if (size >= smallest) return { text: name, size: Math.floor(size) }
  let text = name
  while (widthInEm(`${text}…`) > inner / smallest) text = text.slice(0, -1)
  return { text: `${text.trimEnd()}…`, size: smallest }
}

/** Overestimates the width, because the font can't be measured here. */
function widthInEm(text: string): number {
  let em = 0
  for (const letter of text) em += /[ijl.,:;'|! ]/.test(letter) ? 0.34 : /[mwMW@%]/.test(letter) ? 0.98 : 0.7
  return em
}
