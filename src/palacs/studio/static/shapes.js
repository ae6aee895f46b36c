// What the REST interface answers, for the type checker and the reader: nothing here runs, and
// no page loads it.

/**
 * @typedef {string | number} Label A class.
 * @typedef {string} Time A time, as ISO 8601 writes it.
 *
 * @typedef {object} CampaignRow A campaign in the list.
 * @property {string} name
 * @property {string | null} title
 * @property {Label[]} classes The first few.
 * @property {number} n_classes
 * @property {string} strategy
 * @property {number | null} budget
 * @property {number} acquired
 * @property {number} pending
 * @property {number} awaiting
 * @property {string} phase
 * @property {Time} created_at
 * @property {string | null} error
 *
 * @typedef {object} Details A campaign's settings and status.
 * @property {{ classes: Label[], groups?: string[], attrs?: Record<string, any>, features?: { names?: string[] }, named?: string[] }} settings
 * @property {Status} status
 *
 * @typedef {object} Status
 * @property {number} instances
 * @property {number} n_features
 * @property {{ label: Label }[]} classes
 *
 * @typedef {object} Pending A request whose instance is still to come.
 * @property {string} id
 * @property {Label} label
 * @property {Time | null} expires_at
 * @property {boolean} performed
 * @property {string | null} holder The page or program it belongs to.
 *
 * @typedef {object} Recorded A recording whose features are still to come.
 * @property {string} id
 * @property {Label} label
 * @property {string} file
 * @property {string} why What the extractor said about it; else empty.
 *
 * @typedef {{ id: string, label: Label }} Shown A request as a cue shows it.
 *
 * @typedef {object} Cue What one page has to do.
 * @property {number} seq
 * @property {Label[]} classes
 * @property {Shown | null} asked
 * @property {Shown | null} free One that belongs to nobody.
 * @property {Shown[]} awaiting
 * @property {string} ends Why nothing can be asked for; else empty.
 *
 * @typedef {object} Timeline How one trial of a session goes, in seconds or pairs of them.
 * @property {number | number[]} fixation
 * @property {number | number[]} cue
 * @property {number | number[]} performing
 * @property {number | number[]} rest
 * @property {number | null} block
 * @property {number | null} break
 * @property {Record<Label, string>} [pictures]
 * @property {Record<Label, number | string>} [sounds]
 *
 * @typedef {object} ClassRow A class on the bench.
 * @property {Label} label
 * @property {number} count
 * @property {number} share
 * @property {boolean} paused
 * @property {number | null} recall
 * @property {number} judged How many instances the recall is of.
 *
 * @typedef {object} Standing Where a campaign stands: the part of the insight that takes no time.
 * @property {number} seq
 * @property {"open" | "closed" | "archived"} phase
 * @property {string | null} title
 * @property {number | null} budget
 * @property {number | null} budget_cost
 * @property {number} spent
 * @property {string} strategy
 * @property {number | null} n_features
 * @property {boolean} proportions Whether it is known how often classes occur in use.
 * @property {string[]} axes What the first two features are called, where that is known.
 * @property {string | null} extractor In force.
 * @property {Recorded[]} recorded Recordings that wait for features, the first hundred.
 * @property {number} n_recorded
 * @property {Label[]} labels All classes.
 * @property {number[]} counts Their instances.
 * @property {Label[]} paused
 * @property {Pending[]} pending The first hundred.
 * @property {number} n_pending
 * @property {Shown | null} asked
 * @property {string} ends Why nothing can be asked for; else empty.
 * @property {{ id: string, label: Label, at: Time } | null} last_told
 *
 * @typedef {object} Decision What is asked for or would be, and why; of many utilities the highest.
 * @property {number} seq
 * @property {Shown | null} asked
 * @property {Label | null} next
 * @property {string} why
 * @property {Record<Label, number | null>} utilities
 *
 * @typedef {object} Evidence How well classes are told apart; of many classes the worst.
 * @property {number} seq
 * @property {number} judged How many instances that rests on.
 * @property {ClassRow[]} classes
 * @property {{ acquired: number, accuracy: number | null, recall: Record<Label, number | null> }[]} accuracy
 * @property {{ names: string[], remark: string }} groups Who is left out at a time; none without.
 * @property {Confusion[]} confusions
 *
 * @typedef {{ label: Label, taken_for: Label, count: number, of: number }} Confusion
 *
 * @typedef {object} Block A part of the confusion matrix; a cell sums `step` by `step` classes.
 * @property {number} n_classes
 * @property {number} row
 * @property {number} column
 * @property {number} size
 * @property {number} step
 * @property {Label[]} rows The first class of each row.
 * @property {Label[]} columns
 * @property {number[]} of Decisions about each row.
 * @property {[number, number, number][]} cells Row, column and count of those that are not empty.
 *
 * @typedef {{ seq: number, map: { method: string, points: MapPoint[], left_out: number } }} Mapped
 *
 * @typedef {object} MapPoint An instance on the map.
 * @property {number} x
 * @property {number} y
 * @property {Label} label
 * @property {boolean} [latest]
 *
 * @typedef {object} HistoryRow A request or an unsolicited instance; what did not happen is null.
 * @property {string} id
 * @property {string} state
 * @property {Label | null} asked
 * @property {Label | null} label
 * @property {number | null} utility
 * @property {string | null} reason
 * @property {Time | null} asked_at
 * @property {Time | null} performed_at
 * @property {Time | null} told_at
 * @property {Time | null} failed_at
 * @property {Time | null} retracted_at
 * @property {string | null} asked_by
 * @property {string | null} told_by
 * @property {string | null} recording
 * @property {Record<string, any>} attrs
 * @property {number[] | null} x The first values.
 * @property {number | null} n_features
 *
 * @typedef {{ x: number[], label: Label }} Instance
 *
 * @typedef {object} Seen What a look inside shows, whatever the number of features.
 * @property {"" | "pair" | "pca"} projected
 * @property {number} of_features How many the campaign has.
 * @property {string[]} names
 * @property {number} n_classes
 * @property {string} strategy
 * @property {Label[]} classes
 * @property {number} bandwidth
 * @property {number[]} xs
 * @property {Record<Label, number>} sums
 * @property {Instance[]} points
 *
 * @typedef {object} OnLine Quantities over one feature.
 * @property {1} n_features
 * @property {number[]} density
 * @property {Record<Label, number[]>} densities
 * @property {number[]} gain
 * @property {number[]} weighted_gain
 * @property {Record<Label, number[]>} contributions
 *
 * @typedef {object} OnPlane Quantities over two features: a row for each of `ys`.
 * @property {2} n_features
 * @property {number[]} ys
 * @property {number[][]} density
 * @property {number[][]} gain
 * @property {number[][]} weighted_gain
 * @property {Record<Label, number[][]>} contributions
 *
 * @typedef {Seen & OnLine} SeenOnLine
 * @typedef {Seen & OnPlane} SeenOnPlane
 *
 * @typedef {{ id: string, label: string }} DrawingRequest
 * @typedef {{ id: string, label: string, x: number[] }} Drawing
 *
 * @typedef {object} DrawingProgress How a drawing race stands.
 * @property {number} seq
 * @property {string[]} symbols
 * @property {number} finish How many drawings there are.
 * @property {number[]} asked The share misread after each drawing that palacs asked for.
 * @property {number[]} equal The same, had it been asked equally.
 * @property {number[]} counts In the order of the symbols.
 * @property {number[]} equal_counts
 * @property {number} stand_ins Drawings of equal counts by other hands.
 * @property {number} by_program Drawings that were drawn for the visitor.
 * @property {number} judges
 * @property {Drawing[]} drawings
 * @property {{ kind: "won" | "lost" | "tie", saved: number, sentence: string } | null} outcome
 *
 * @typedef {object} WatchedTrial A trial on a problem in the plane, step by step.
 * @property {string} about
 * @property {string} title Of the strategy.
 * @property {string[]} classes
 * @property {number[][]} points
 * @property {number[]} labels
 * @property {number[]} errors
 * @property {number} side How many cells a region has in a row.
 * @property {number} low
 * @property {number} high
 * @property {string[]} regions
 */

export {};
