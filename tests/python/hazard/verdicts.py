# SPDX-License-Identifier: Apache-2.0
"""Lists the findings that each kernel of tests/fixtures/kernels/hazard must get. The list follows
the documentation of hardware and compiler, not the checker. The documentation has a table of the
synchronisation that `--cce-auto-sync` adds on vector cores (none is added on cube cores), and rules
of flags, barriers and queues."""

from __future__ import annotations

from typing import NamedTuple

RAW, WAR, WAW = "RAW", "WAR", "WAW"
UNWRITTEN, FREED, FILLER = "never written", "buffer taken back", "filler used as data"
#: One access is atomic. The other access is not atomic, or uses another atomic operation.
ATOMIC = "atomic and other access"

BOTH = ("auto-sync", "explicit")
#: Levels that report a race which the toolkit's compiler prevents on vector cores.
EXPLICIT = ("explicit",)


class Race(NamedTuple):
    """Two unordered accesses: kind, memory, and the pipes of the first and the second access."""

    name: str
    kind: str
    memory: str
    pipes: str
    levels: tuple[str, ...] = BOTH


def copied_out(names: str) -> list[Race]:
    """Returns a race for each name: a copy into UB leaves filler, and a copy out contains it."""
    return [Race(name, FILLER, "UB", "MTE2 MTE3") for name in names.split()]


class Fault(NamedTuple):
    """An error that ends the launch; most of these errors also occur without the checker."""

    name: str
    code: str
    text: str = ""


RACES: dict[str, list[Race]] = {
    "local_pairs": [
        Race("ComputesBeforeCopyIn", RAW, "UB", "MTE2 V"),
        Race("FillsUnderCopyIn", WAW, "UB", "MTE2 V"),
        Race("CopiesInUnderCompute", WAR, "UB", "V MTE2"),
        Race("CopiesInUnderFill", WAW, "UB", "V MTE2"),
        Race("CopiesOutBeforeResult", RAW, "UB", "V MTE3"),
        Race("ComputesUnderCopyOut", WAR, "UB", "MTE3 V"),
        Race("CopiesThrough", RAW, "UB", "MTE2 MTE3"),
        Race("CopiesInUnderCopyOut", WAR, "UB", "MTE3 MTE2"),
        Race("CopiesInTwice", WAW, "UB", "MTE2 MTE2"),
        Race("ComputesOnResult", RAW, "UB", "V V", EXPLICIT),
        Race("ComputesOverSource", WAR, "UB", "V V", EXPLICIT),
        Race("ComputesOverResult", WAW, "UB", "V V", EXPLICIT),
        Race("ScalarReadsCopyIn", RAW, "UB", "MTE2 S", EXPLICIT),
        Race("ScalarWritesUnderCopyIn", WAW, "UB", "MTE2 S", EXPLICIT),
        Race("ScalarReadsResult", RAW, "UB", "V S", EXPLICIT),
        Race("ScalarReadsAfterVectorBarrier", RAW, "UB", "V S", EXPLICIT),
        Race("ScalarWritesSource", WAR, "UB", "V S", EXPLICIT),
        Race("ScalarWritesResult", WAW, "UB", "V S", EXPLICIT),
        Race("ScalarWritesUnderCopyOut", WAR, "UB", "MTE3 S", EXPLICIT),
        Race("ComputesOnScalars", RAW, "UB", "S V", EXPLICIT),
        Race("ComputesOverScalar", WAW, "UB", "S V", EXPLICIT),
        Race("CopiesInOverScalar", WAW, "UB", "S MTE2", EXPLICIT),
        Race("CopiesOutScalar", RAW, "UB", "S MTE3", EXPLICIT),
        Race("FlagSetTooEarly", RAW, "UB", "MTE2 V"),
        Race("WaitTooLate", RAW, "UB", "MTE2 V"),
        Race("FlagOfOtherPipes", RAW, "UB", "MTE2 V"),
        Race("BarrierOfOnePipe", RAW, "UB", "MTE2 V"),
        Race("NextRoundCopiesInTooEarly", WAR, "UB", "V MTE2"),
        Race("TwoFlagsForOneSlot", WAR, "UB", "MTE3 V"),
    ],
    "global_values": [
        Race("ReadsBackCopyOut", RAW, "GM", "MTE3 MTE2"),
        Race("WritesWhatCopiesInRead", WAR, "GM", "MTE2 MTE3"),
        Race("CopiesOutTwice", WAW, "GM", "MTE3 MTE3"),
        Race("CopiesOutOneByteTwice", WAW, "GM", "MTE3 MTE3"),
        Race("AddsBeforeZeros", WAW, "GM", "MTE3 MTE3"),
        Race("MaxAfterAdd", WAW, "GM", "MTE3 MTE3"),
        Race("ScalarReadsCopyOut", RAW, "GM", "MTE3 S", EXPLICIT),
        # The compiler does not synchronise GlobalTensor::SetValue.
        Race("ScalarWritesWhatCopyInReads", WAR, "GM", "MTE2 S"),
        Race("ScalarWritesOverCopyOut", WAW, "GM", "MTE3 S"),
        Race("ComputesOnNothing", UNWRITTEN, "UB", "V"),
        Race("CopiesNothingOut", UNWRITTEN, "UB", "MTE3"),
        Race("ScalarReadsNothing", UNWRITTEN, "UB", "S"),
        Race("CopiesHalfIn", UNWRITTEN, "UB", "MTE3"),
        Race("ReadsTheGaps", UNWRITTEN, "UB", "V"),
        Race("SumsFiller", FILLER, "UB", "MTE2 V"),
        Race("CopiesFillerOut", FILLER, "UB", "MTE2 MTE3"),
        Race("ScalarReadsFiller", FILLER, "UB", "MTE2 S"),
    ],
    "masks": [
        *copied_out(
            "SelectsByCompare SelectsByScalarCompare SelectsByCombinedMasks SelectsByRegister "
            "GathersFiller GathersByInvalidMask GathersByIndex GathersBlocks ExtractsFiller "
            "TransposesFiller TransposesRowsOfFiller SelectsHalves"
        ),
        Race("ComputesInPlaceUnderRead", WAR, "UB", "V V", EXPLICIT),
        Race("AccumulatesUnderRead", WAR, "UB", "V V", EXPLICIT),
    ],
    "element_order": [
        *copied_out(
            "ScalesRows ScalesPartsOfRows ScalesBlocks SelectsRows SelectsByHighBits "
            "ComputesHighElements ComparesHighElementsToRegister SelectsRepeatsByRegister "
            "SelectsRepeatsByMask BroadcastsRow BroadcastsColumn ScalesColumns ClampsTail "
            "SelectsByBytes ReplacesFillerByBytes DropsFiller"
        ),
    ],
    "partial_tiles": [
        *copied_out("ReplacesTailByTensor ReplacesTailByScalar ReplacesTailByRegister"),
        Race("SumsRows", UNWRITTEN, "UB", "V"),
        Race("FindsMaximaOfRows", UNWRITTEN, "UB", "V"),
        Race("ReadsMaximumOfAllRows", UNWRITTEN, "UB", "V"),
        Race("SumsBlocks", FILLER, "UB", "MTE2 V"),
        Race("SumsPairs", FILLER, "UB", "MTE2 V"),
        Race("SortsGroups", UNWRITTEN, "UB", "V"),
        Race("SoftMaxOfPadding", FILLER, "UB", "MTE2 V"),
        Race("SoftMaxOfMoreRows", UNWRITTEN, "UB", "V"),
        Race("LibrarySumsMoreRows", UNWRITTEN, "UB", "V"),
        Race("NormalizesMoreRows", UNWRITTEN, "UB", "V"),
        *copied_out("CopiesMask ClearsInvalidBits SetsInvalidBits"),
        Race("ReadsMaskWord", UNWRITTEN, "UB", "V"),
        Race("ComputesInPlaceOnPointersBytes", UNWRITTEN, "UB", "V"),
    ],
    "queues_flags": [
        Race("UsedBeforeDeQue", RAW, "UB", "MTE2 V"),
        Race("CopiedOutOfVecIn", RAW, "UB", "MTE2 MTE3"),
        Race("ScalarReadsVecIn", RAW, "UB", "MTE2 S", EXPLICIT),
        Race("UsedAfterFree", FREED, "UB", "S V"),
        Race("CopiedOutAfterFree", FREED, "UB", "S MTE3"),
        Race("HeldOverRounds", WAR, "UB", "V MTE2"),
        Race("WrittenAfterEnQue", RAW, "UB", "V MTE3"),
        Race("WrittenAfterDeQue", WAR, "UB", "MTE3 V"),
        Race("CopiedOutOfTBuf", RAW, "UB", "V MTE3"),
    ],
    # Level `auto-sync` orders vector instructions, so most of these races exist only in `explicit`.
    "library_calls": [
        Race("ComputesOnLog", RAW, "UB", "V V", EXPLICIT),
        Race("OverwritesLog10", WAW, "UB", "V V", EXPLICIT),
        Race("OverwritesSourceOfFloor", WAR, "UB", "V V", EXPLICIT),
        Race("ComputesOnAcos", RAW, "UB", "V V", EXPLICIT),
        Race("ComputesOnSum", RAW, "UB", "V V", EXPLICIT),
        Race("ComputesOnRoundOfFloat", RAW, "UB", "V V", EXPLICIT),
        Race("TanhOfResult", RAW, "UB", "V V", EXPLICIT),
        Race("FloorOverSource", WAR, "UB", "V V", EXPLICIT),
        Race("TanhInScratchOfResult", WAW, "UB", "V V", EXPLICIT),
        Race("PieceOfResult", RAW, "UB", "V V", EXPLICIT),
        Race("PieceInScratchOfPiece", WAW, "UB", "V V", EXPLICIT),
        Race("ComputesOnSumOfPiece", RAW, "UB", "V V", EXPLICIT),
        Race("TanhOfLog", RAW, "UB", "V V", EXPLICIT),
        Race("CopiesTanhOut", RAW, "UB", "V MTE3"),
        Race("ComputesOnSecondMean", RAW, "UB", "V V", EXPLICIT),
        Race("Log10OverResult", WAW, "UB", "V V", EXPLICIT),
    ],
    "vector_cores": [
        Race("ReadsRowOfOtherCore", RAW, "GM", "MTE3 MTE2"),
        Race("OverwritesRowOfOtherCore", WAR, "GM", "MTE2 MTE3"),
        Race("NextRoundOverwritesTooEarly", WAR, "GM", "MTE2 MTE3"),
        Race("SameRowFromAllCores", WAW, "GM", "MTE3 MTE3"),
        Race("NeighboursShareOneByte", WAW, "GM", "MTE3 MTE3"),
        Race("FlagOnWrongPipe", RAW, "GM", "MTE3 MTE2"),
        Race("FlagBeforeCopy", RAW, "GM", "MTE3 MTE2"),
        Race("WaitAfterRead", RAW, "GM", "MTE3 MTE2"),
        Race("NobodyTellsTheReader", RAW, "GM", "MTE3 MTE2"),
        Race("AddsBeforeZerosOfOtherCore", ATOMIC, "GM", "MTE3 MTE3"),
        Race("ArrivesUnderItsLoad", WAR, "GM", "MTE2 MTE3"),
        Race("ReadsSumTooEarly", ATOMIC, "GM", "MTE3 MTE2"),
        Race("AddsAndTakesMaxima", ATOMIC, "GM", "MTE3 MTE3"),
    ],
    "cube_copies": [
        Race("LoadsBeforeCopyIn", RAW, "L1", "MTE2 MTE1"),
        Race("CopiesInUnderLoad", WAR, "L1", "MTE1 MTE2"),
        Race("CopiesInTwice", WAW, "L1", "MTE2 MTE2"),
        Race("CopiesOutBeforeCopyIn", RAW, "L1", "MTE2 MTE3"),
        Race("CopiesInUnderCopyOut", WAR, "L1", "MTE3 MTE2"),
        Race("LoadsBeforeResultIsInL1", RAW, "L1", "FIX MTE1"),
        Race("ResultIntoL1UnderLoad", WAR, "L1", "MTE1 FIX"),
        Race("ScalesBeforeCopyIn", RAW, "L1", "MTE2 FIX"),
        Race("CopiesInUnderScale", WAR, "L1", "FIX MTE2"),
        Race("FlagOfOtherPipes", RAW, "L1", "MTE2 MTE1"),
        Race("NextStepCopiesInTooEarly", WAR, "L1", "MTE1 MTE2"),
        Race("ReadsBackProduct", RAW, "GM", "FIX MTE2"),
        Race("ProductOverWhatIsRead", WAR, "GM", "MTE2 FIX"),
        Race("CopiesProductOutTwice", WAW, "GM", "FIX FIX"),
    ],
    "cube_products": [
        Race("MultipliesBeforeLoadA", RAW, "L0A", "MTE1 M"),
        Race("MultipliesBeforeLoadB", RAW, "L0B", "MTE1 M"),
        Race("LoadsAUnderProduct", WAR, "L0A", "M MTE1"),
        Race("LoadsBUnderProduct", WAR, "L0B", "M MTE1"),
        Race("LoadsTwice", WAW, "L0A", "MTE1 MTE1"),
        Race("BiasBeforeCopy", RAW, "BT", "MTE1 M"),
        Race("BiasCopiedUnderProduct", WAR, "BT", "M MTE1"),
        Race("CopiesOutBeforeLastProduct", RAW, "L0C", "M FIX"),
        Race("MultipliesUnderCopyOut", WAR, "L0C", "FIX M"),
        Race("AccumulatesTooEarly", RAW, "L0C", "M M"),
        Race("UnitFlagOnOneSide", RAW, "L0C", "M FIX"),
        Race("LoadsNothing", UNWRITTEN, "L1", "MTE1"),
        Race("MultipliesNothing", UNWRITTEN, "L0A", "M"),
        Race("AccumulatesOnNothing", UNWRITTEN, "L0C", "M"),
        Race("CopiesNothingOut", UNWRITTEN, "L0C", "FIX"),
    ],
    "mix": [
        Race("ReadsProductWithoutFlag", RAW, "GM", "FIX MTE2"),
        Race("ProductFlagOnWrongPipe", RAW, "GM", "FIX MTE2"),
        Race("WorkspaceReusedTooEarly", WAR, "GM", "MTE2 FIX"),
        Race("PlaceGivenBackOnWrongPipe", WAR, "GM", "MTE2 FIX"),
        Race("BarrierOfOneKind", RAW, "GM", "FIX MTE2"),
        Race("IdleCoreTellsBeforeItsStore", RAW, "GM", "MTE3 MTE2"),
        Race("VectorFlagOnWrongPipe", RAW, "GM", "MTE3 MTE2"),
        Race("ReadsRowOfTheOtherVectorCore", RAW, "GM", "MTE3 MTE2"),
        Race("ReadsBeforeItsGroupArrived", RAW, "GM", "MTE3 MTE2"),
    ],
    "server": [
        Race("ReadsProductBeforeItIsThere", RAW, "GM", "FIX MTE2"),
        Race("ReadsTileOfTheOtherVectorCore", RAW, "GM", "FIX MTE2"),
        Race("ReadsTileThatIsAskedForLate", RAW, "GM", "FIX MTE2"),
        Race("ReadsTileThatWasAskedForFirst", RAW, "GM", "FIX MTE2"),
        Race("MultipliesTileOfTheOtherVectorCore", RAW, "GM", "FIX MTE2"),
        Race("NextProductOverALoad", WAR, "GM", "MTE2 FIX"),
        Race("NextProductUnderAVectorWait", WAR, "GM", "MTE2 FIX"),
        Race("WritesOverTheProductOfBoth", RAW, "GM", "MTE3 MTE2"),
        Race("WritesOverAnOperandThatIsAskedFor", WAR, "GM", "MTE2 MTE3"),
    ],
}

RACES["handover"] = [
    Race("ToldBeforeTheStoreHasEnded", RAW, "GM", "MTE3 MTE2"),
    Race("ToldDirectlyBeforeTheStoreHasEnded", RAW, "GM", "MTE3 MTE2"),
    Race("WordsInNoOrder", RAW, "GM", "S S"),
    Race("NobodyIsAsked", RAW, "GM", "MTE3 MTE2"),
]

RACES["cube_parts"] = [
    Race("LoadsTailOfA", UNWRITTEN, "L1", "MTE1"),
    Race("LoadsTailOfB", UNWRITTEN, "L1", "MTE1"),
    Race("LoadsColumnsThatWereNotCopied", UNWRITTEN, "L1", "MTE1"),
    Race("LoadsEverySecondFractal", UNWRITTEN, "L1", "MTE1"),
    Race("LoadsRowsOfBThatWereNotCopied", UNWRITTEN, "L1", "MTE1"),
    Race("TurnsRowsOfBThatWereNotCopied", UNWRITTEN, "L1", "MTE1"),
    Race("TurnsBytesThatWereNotCopied", UNWRITTEN, "L1", "MTE1"),
    Race("UnfoldsChannelsThatWereNotCopied", UNWRITTEN, "L1", "MTE1"),
    Race("UnfoldsIntoB", UNWRITTEN, "L1", "MTE1"),
    Race("FillsTooLittle", UNWRITTEN, "L1", "MTE1"),
    Race("LoadsFewerFractalsThanItMultiplies", UNWRITTEN, "L0A", "M"),
    Race("CountsOneColumnTooMany", UNWRITTEN, "L1", "MTE1"),
    Race("TakesOneRowTooMany", UNWRITTEN, "L1", "MTE1"),
    Race("TakesOneColumnTooMany", UNWRITTEN, "L1", "MTE1"),
    Race("AddsHalfABias", UNWRITTEN, "L1", "MTE1"),
    Race("AddsToColumnsThatAreNotThere", UNWRITTEN, "L0C", "M"),
    Race("CopiesMoreColumnsOutThanThereAre", UNWRITTEN, "L0C", "FIX"),
    Race("MultipliesAResultOfNothing", UNWRITTEN, "L1", "MTE1"),
    Race("CopiesMoreOutOfL1ThanCameIn", UNWRITTEN, "L1", "MTE3"),
]

RACES["idioms"] = [
    Race("ComputesBetweenBoundCopies", RAW, "UB", "V MTE3"),
    Race("CopiesOutOfVecInWithItsOwnFlag", WAR, "UB", "MTE3 MTE2"),
    Race("EnQuesForOtherPositions", RAW, "UB", "MTE2 V"),
    Race("OtherPoolComesInTooEarly", WAR, "UB", "V MTE2"),
    Race("ResetForgetsBuffers", WAR, "UB", "MTE3 MTE2"),
    Race("SecondPipeOverTheFirst", WAR, "UB", "V MTE2"),
    Race("OffsetsThatOverlap", WAW, "UB", "MTE2 V"),
    Race("NextTileOverTheUpperHalf", WAR, "UB", "MTE3 MTE2"),
    Race("CopyInsideIsNoCopyOut", RAW, "UB", "V MTE3"),
    Race("CopiesOddElementsThatNobodyComputed", UNWRITTEN, "UB", "MTE3"),
    Race("GathersBeforeItsOffsetsCame", RAW, "UB", "MTE2 V"),
    Race("GathersByWhatTheScalarUnitWrites", RAW, "UB", "S V", EXPLICIT),
    Race("CopiesMoreThanWasGathered", UNWRITTEN, "UB", "MTE3"),
    Race("CopiesABlockForTwoNumbers", UNWRITTEN, "UB", "MTE3"),
    Race("MergesBeforeItsListsAreSorted", RAW, "UB", "V V", EXPLICIT),
    Race("CopiesInOverTheScratchOfALibraryCall", WAW, "UB", "V MTE2"),
    Race("TurnsBlocksThatAreOnTheirWay", RAW, "UB", "MTE2 V"),
    Race("CopiesAMaskThatIsBeingMade", RAW, "UB", "V MTE3"),
    Race("RoundsEachRowUp", WAW, "GM", "MTE3 MTE3"),
    Race("SumsPaddingOfNoValue", FILLER, "UB", "MTE2 V"),
]
RACES["cores_idioms"] = [
    Race("ZeroesForAllByInitOutput", ATOMIC, "GM", "MTE3 MTE3"),
    Race("AddsOfTwoTypes", ATOMIC, "GM", "MTE3 MTE3"),
    Race("LastBlockWaitsForOneOfTwo", RAW, "GM", "MTE3 MTE2"),
    Race("TellsTheNextBlockBeforeItsCopy", RAW, "GM", "MTE3 MTE2"),
    Race("LastTileMovedBack", WAW, "GM", "MTE3 MTE3"),
    Race("TailsRoundedUp", WAW, "GM", "MTE3 MTE3"),
    Race("OneRowWithOneBarrierARound", WAR, "GM", "MTE2 MTE3"),
    Race("TellsByAFlagThatCoversOneRound", RAW, "GM", "MTE3 MTE2"),
    Race("GivesItsRowBackUnderALoad", WAR, "GM", "MTE2 MTE3"),
    Race("CountsWithoutABarrier", RAW, "GM", "S MTE2"),
]
RACES["mix_idioms"] = [
    Race("OperandGivenBackOnWrongPipe", WAR, "GM", "MTE2 MTE3"),
    Race("TellsAfterTheFirstOfTwoTiles", RAW, "GM", "FIX MTE2"),
    Race("VectorCoresTellEachOtherOnWrongPipe", RAW, "GM", "MTE3 MTE2"),
    Race("AddsToAProductOnItsWay", ATOMIC, "GM", "FIX MTE3"),
    Race("RingOfTwoGivenBackForTheOtherPlace", WAR, "GM", "MTE2 FIX"),
    Race("ScalarReadsATileOnItsWay", RAW, "GM", "FIX S"),
]
RACES["cube_idioms"] = [
    Race("PingPongOfL1WithOneEvent", WAR, "L1", "MTE1 MTE2"),
    Race("TakesTheFlagOfTheOtherOperand", RAW, "L1", "MTE2 MTE1"),
    Race("QueueOfL1GivenBackBeforeTheLoad", FREED, "L1", "S MTE1"),
    Race("AccumulatesBehindEnQue", RAW, "L0C", "M FIX"),
    Race("AccumulatesPiecesWithoutABarrier", RAW, "L0C", "M M"),
    Race("GivesL0BBackBeforeTheLastProduct", WAR, "L0B", "M MTE1"),
    Race("SplitKThroughTheWorkspace", RAW, "GM", "FIX MTE2"),
    Race("SumsBehindAProduct", WAW, "GM", "FIX FIX"),
]

FAULTS: dict[str, list[Fault]] = {
    "global_values": [
        Fault("ScalarWriteNotCleaned", "T311"),
        Fault("StaleScalarRead", "T312"),
        Fault("StoreLostUnderDirtyLine", "T313"),
        Fault("ScratchOverLiveData", "T422"),
    ],
    "queues_flags": [
        Fault("SetTwice", "T302", "MTE2_V"),
        Fault("FetchedTwice", "T302", "V_MTE2"),
        Fault("SharedWithQueue", "T302", "MTE2_V"),
        Fault("NeverSet", "T303", "MTE3_V"),
        Fault("WrongDirection", "T303", "MTE2_V"),
        Fault("LeftSet", "T306", "V_MTE2"),
        Fault("RingNotFilledOnLastRound", "T303", "MTE2_V"),
        Fault("RingNotDrained", "T306", "V_MTE2"),
    ],
    "vector_cores": [
        Fault("ScalarWriteNotCleanedForOthers", "T311"),
        Fault("StaleReadOfOtherCore", "T312"),
        Fault("TwoCoresInOneLine", "T313"),
        Fault("IdleCoreSkipsSyncAll", "T301", r"needs SyncAll on core 1 AIV \(ended\)"),
        Fault(
            "WaitsForABlockThatNeverTells",
            "T301",
            r"needs IBSet\(block 0, event 1\) on core 0 AIV \(ended\)",
        ),
        Fault(
            "OneSetTwoWaits", "T301", r"needs CrossCoreSetFlag<0, ...>\(3\) on core 0 AIV, core 1"
        ),
    ],
    "cube_products": [
        Fault("UnitFlagSetTwice", "T461"),
        Fault("FlagOfTheLibrary", "T302", "M_MTE1"),
        Fault("NotPrimedBeforeLoop", "T303", "M_MTE1"),
    ],
    "cores_idioms": [Fault("KeepsItsLineOverABarrier", "T312")],
    # The fill value of missing quantisation words is no valid scale, so the launch ends (T466).
    "cube_parts": [Fault("ScalesByHalfTheWords", "T466")],
    "mix": [
        Fault("CubeSkipsSyncAll", "T301", r"needs SyncAll<false> on core 0 AIC \(ended\)"),
        Fault(
            "OneVectorCoreAnswers",
            "T301",
            r"needs CrossCoreSetFlag<2, ...>\(0\) on core 2 AIV \(ended\)",
        ),
        Fault(
            "RingNotFilledOnLastRound",
            "T301",
            r"needs CrossCoreSetFlag<2, ...>\(0\) on core 0 AIC \(ended\)",
        ),
        Fault(
            "EachWaitsFirst",
            "T301",
            r"needs CrossCoreSetFlag<2, ...>\(1\) on core 1 AIV, core 2 AIV",
        ),
        Fault("SixteenSets", "T317"),
        Fault("CounterNotDrained", "T306", r"CrossCoreWaitFlag\(1\) on core 0 AIC"),
        Fault("OneVectorCoreSetsMore", "T306", "as many CrossCoreSetFlag.*on the other cores"),
    ],
}
