"""Rules between the splits of one data set: the SPL rules.

In their examples `wrong` and `right` are the one file and `against` is the other, for `splits check`.
"""

from sharedtask.schemas.rule import Example, Rule, Severity
from sharedtask.schemas.rules.example_files import FLARES_TEST, FLARES_TRAIN, json_lines, lines

_LONG = (
    "La junta de aguas recordó ayer que las compuertas del canal viejo seguirán abiertas mientras dure la sequía, que "
    "cada parcela tiene asignado un turno de riego de dos horas y que los turnos perdidos por avería se recuperan al "
    "final de la semana, siempre que el guarda lo haya anotado en el cuaderno de la caseta"
)
_HEADER = "id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post,label"
_POST = "4b8e1fa07c29d3566fe0a1b7c84d9e32,Chợ nổi tạm nghỉ ba ngày để dọn bèo.,1586930400,11,2,0"
_OTHER_POST = "7d02c9b8e5f14a63908b1c2de7a4f560,Vườn ươm của xã có thêm giống bưởi mới.,1587103200,6,0,1"


def _beside_train(wrong_id: int, wrong_text: str) -> Example:
    """A test file of FLARES beside the training file: one record of the wrong one is spoilt."""
    rest = '{"Id":733,"Text":"Las cigüeñas volvieron al campanario."}\n'
    return Example(
        FLARES_TEST.kind,
        FLARES_TEST.name,
        rest + json_lines([{"Id": wrong_id, "Text": wrong_text}]),
        rest + json_lines([{"Id": 734, "Text": "El puente de tablas cruje desde enero."}]),
        str(FLARES_TRAIN.right),
        FLARES_TRAIN.name,
    )


ID_LEAK = Rule(
    code="SPL401",
    name="id-leak",
    severity=Severity.ERROR,
    meaning="Two splits hold the same item: its id and its text are equal.",
    why="A model that was trained on one split has seen items of the other, and its score there is too high.",
    hint="Keep the item in one split only, and make splits with `splits make`, which puts each item into one split.",
    message="{key} is also in {there}, with the same text",
    example=_beside_train(88, "El martes, las maestras rurales recibieron mapas y lupas."),
)
ID_COLLISION = Rule(
    code="SPL402",
    name="id-collision",
    severity=Severity.INFO,
    meaning="Two splits use the same id for different texts.",
    why=(
        "This is normal in FLARES, where every file starts counting again, and between the phases of ReINTEL. It does "
        "harm when files are put together or joined on the id alone."
    ),
    hint="Nothing needs to be done; use the pair of split and id as the key when you put files together.",
    message="{key} is also in {there}, with a different text",
    example=_beside_train(88, "El herrero forjó una veleta con forma de gallo."),
)
TEXT_LEAK = Rule(
    code="SPL403",
    name="text-leak",
    severity=Severity.ERROR,
    meaning="The same text appears in two splits under different ids.",
    why=(
        "A model can have learnt the answer by heart. In ReINTEL 86 warm-up posts come back in the public test and 82 "
        "in the private one; the FLARES trial texts are all in the training file, where a system that reaches F1 0.61 "
        "on unseen texts scored 0.90."
    ),
    hint="Remove the copies from the training side, or keep all copies of a text in one split.",
    message={
        "": "the text is also in {there}, as {other}",
        "short": "not reported as leaks: {texts:short text} (fewer than {words} words and {characters} characters) that an earlier file has, too",
    },
    example=_beside_train(735, "El martes, las maestras rurales recibieron mapas y lupas."),
)
NEAR_TEXT_LEAK = Rule(
    code="SPL404",
    name="near-text-leak",
    severity=Severity.WARNING,
    meaning="Texts of two splits are equal once case, white space, punctuation and URLs are ignored.",
    why=(
        "For a model it is the same text: counted this way the overlap of the ReINTEL warm-up with the public test "
        "grows from 86 posts to 119."
    ),
    hint="Look at the pairs, and treat them as copies unless they are short phrases that anybody may write.",
    message="the text equals that of {other} in {there}, ignoring case, white space, punctuation and URLs",
    example=_beside_train(735, "EL MARTES  las maestras rurales recibieron mapas y lupas"),
)
SIMILAR_TEXT_LEAK = Rule(
    code="SPL405",
    name="similar-text-leak",
    severity=Severity.WARNING,
    meaning="Texts of two splits share nearly all their word sequences by MinHash; the finding gives the threshold.",
    why="An edited copy, a repost with a changed word or a longer quotation leaks almost as much as a plain copy.",
    hint="Look at the pairs; the estimate can be wrong near the threshold. Keep true variants of a text in one split.",
    message={
        "": "the text is nearly that of {other} in {there}: similarity {similarity:.2f}, threshold {threshold}",
        "skipped": "similar texts were not looked for; install the extra: pip install 'sharedtask[splits]'",
    },
    example=Example(
        "flares/subtask1",
        "5w1h_subtarea_1_test.json",
        json_lines([{"Id": 733, "Text": f"{_LONG} de entrada."}]),
        json_lines([{"Id": 733, "Text": "Las cigüeñas volvieron al campanario."}]),
        json_lines([{"Id": 12, "Text": f"{_LONG} del puente."}]),
        "5w1h_subtask_1_trial.json",
    ),
)
CONFLICTING_DUPLICATE = Rule(
    code="SPL406",
    name="conflicting-duplicate",
    severity=Severity.ERROR,
    meaning="The same text appears in two splits with different labels.",
    why=(
        "At least one of the labels is wrong, and no model can get both right. Of the 168 FLARES trial texts, which "
        "are all in the training file too, 12 were annotated differently."
    ),
    hint="Decide on one label, and keep the text in one split: it is a text leak as well.",
    message="the text has a different label in {there}, as {other}",
    # a text-leak comes with it
    example=Example(
        "reintel/posts",
        "val.csv",
        lines(_HEADER, f"62,{_POST},1"),
        lines(_HEADER, f"62,{_OTHER_POST},1"),
        lines(_HEADER, f"17,{_POST},0"),
        "train.csv",
    ),
)
GROUP_SPLIT = Rule(
    code="SPL407",
    name="group-split",
    severity=Severity.ERROR,
    meaning="The records of one group, such as the sentences of one document, are spread over two splits.",
    why=(
        "Sentences of one document share names, topic and style, so a model profits from what it saw in training. The "
        "published CHEERS splits are made by document."
    ),
    hint="Split by group: `splits make --group-by doc_id`.",
    message="{key} is also in {there}",
    example=Example(
        "cheers/sentences",
        "sentences_en_val.csv",
        lines(
            "doc_id,sentence_id,sentence_text,is_relevant,sector_ids",
            "50311,2,A third shelter was put up behind the market.,1,[9]",
        ),
        lines(
            "doc_id,sentence_id,sentence_text,is_relevant,sector_ids",
            "50312,0,A third shelter was put up behind the market.,1,[9]",
        ),
        lines(
            "doc_id,sentence_id,sentence_text,is_relevant,sector_ids",
            "50311,0,Two boreholes were drilled for the host community.,1,[10]",
            "50311,1,The office moves to another street next week.,0,[]",
        ),
        "sentences_en_train.csv",
    ),
)

RULES = (
    ID_LEAK,
    ID_COLLISION,
    TEXT_LEAK,
    NEAR_TEXT_LEAK,
    SIMILAR_TEXT_LEAK,
    CONFLICTING_DUPLICATE,
    GROUP_SPLIT,
)
