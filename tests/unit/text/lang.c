/* tests/unit/text/lang.c -- languages by sentences that anyone can read. */
#include "text/lang.h"
#include "text/main_ranges.h"

#include "base/buf.h"
#include "base/limits.h"
#include "test.h"

/* clang-format off */
static const struct {
	const char *code, *text;
} sentences[] = {
	{ "en", "The archive keeps every page that was published, so that readers may compare what was said with what came later." },
	{ "de", "Das Archiv bewahrt jede veröffentlichte Seite, damit Leser vergleichen können, was früher gesagt wurde." },
	{ "fr", "Les archives conservent chaque page publiée, afin que les lecteurs puissent comparer ce qui a été dit." },
	{ "es", "El archivo conserva todas las páginas publicadas para que los lectores puedan comparar lo que se dijo." },
	{ "pt", "O arquivo guarda todas as páginas publicadas, para que os leitores possam comparar o que não foi dito." },
	{ "it", "L'archivio conserva ogni pagina pubblicata, perché i lettori possano confrontare quello che è stato detto." },
	{ "nl", "Het archief bewaart elke pagina die werd gepubliceerd, zodat lezers kunnen vergelijken wat er is gezegd." },
	{ "sv", "Arkivet bevarar varje sida som har publicerats så att läsarna kan jämföra vad som har sagts och inte sagts." },
	{ "da", "Arkivet bevarer hver side, der er blevet offentliggjort, så læserne kan sammenligne, hvad der er blevet sagt." },
	{ "pl", "Archiwum przechowuje każdą opublikowaną stronę, aby czytelnicy mogli porównać to, co zostało powiedziane." },
	{ "cs", "Archiv uchovává každou zveřejněnou stránku, aby čtenáři mohli porovnat, co bylo řečeno dříve a později." },
	{ "hu", "Az archívum minden közzétett oldalt megőriz, hogy az olvasók összehasonlíthassák, mi hangzott el korábban." },
	{ "lt", "Archyve saugomas kiekvienas paskelbtas puslapis, kad skaitytojai galėtų palyginti, kas buvo pasakyta." },
	{ "ro", "Arhiva păstrează fiecare pagină publicată, pentru ca cititorii să poată compara ceea ce s-a spus." },
	{ "id", "Arsip ini menyimpan setiap halaman yang telah diterbitkan agar pembaca dapat membandingkan apa yang dikatakan." },
	{ "tr", "Arşiv, okuyucuların daha önce söylenenleri karşılaştırabilmesi için yayınlanan her sayfayı saklar." },
	{ "fi", "Arkisto säilyttää jokaisen julkaistun sivun, jotta lukijat voivat verrata, mitä aiemmin on sanottu." },
	{ "vi", "Kho lưu trữ giữ lại mọi trang đã được xuất bản để người đọc có thể so sánh những gì đã được nói." },
	{ "ru", "Архив сохраняет каждую опубликованную страницу, чтобы читатели могли сравнить сказанное раньше." },
	{ "uk", "Архів зберігає кожну опубліковану сторінку, щоб читачі могли порівняти те, що було сказано раніше." },
	{ "bg", "Архивът пази всяка публикувана страница, за да могат читателите да сравнят казаното по-рано." },
	{ "sr", "Архив чува сваку објављену страницу како би читаоци могли да упореде оно што је раније речено." },
	{ "ar", "يحتفظ الأرشيف بكل صفحة تم نشرها حتى يتمكن القراء من مقارنة ما قيل من قبل." },
	{ "fa", "بایگانی هر صفحه‌ای را که منتشر شده است نگه می‌دارد تا خوانندگان بتوانند آن را مقایسه کنند." },
	{ "he", "הארכיון שומר כל דף שפורסם כדי שהקוראים יוכלו להשוות את מה שנאמר קודם." },
	{ "hi", "संग्रह प्रकाशित किए गए प्रत्येक पृष्ठ को रखता है ताकि पाठक तुलना कर सकें कि क्या कहा गया था।" },
	{ "el", "Το αρχείο διατηρεί κάθε σελίδα που δημοσιεύθηκε." },
	{ "th", "หอจดหมายเหตุเก็บรักษาทุกหน้าที่เผยแพร่" },
	{ "ko", "기록 보관소는 게시된 모든 페이지를 보관합니다." },
	{ "ja", "アーカイブは公開されたすべてのページを保存します。" },
	{ "zh", "档案馆保存每一个已发布的网页，以便读者比较。" },
	{ "zh", "檔案館保存每一個已發佈的網頁，以便讀者比較。" },
};
/* clang-format on */

TEST(lang, tells_sentences_apart)
{
	for (size_t i = 0; i < COUNT(sentences); i++) {
		struct lang got = lang_of(str(sentences[i].text));

		CHECK_STR(str(got.code), str(sentences[i].code), "%s", sentences[i].text);
		CHECK(got.confidence > 0.5 && got.confidence <= 1);
	}
}

static const struct {
	const char *text, *because;
} unsure[] = {
	{ "", "nothing" },
	{ "1234 5678 -- 9.0 %", "no letters" },
	{ "ok", "too short" },
	{ "moved", "one word, which many languages could have" },
	{ "new old", "two short words of a menu" },
	{ "xkq zwv qqj vxz kjq wqx zzv qxk vjw kkq zxw", "letters, but no language" },
	{ "\xff\xfe\x80\x80\xc0", "no UTF-8" },
	{ "0x7f3a 0xdeadbeef 0x00ff 0x1c2d3e 0x99aa", "numbers in hexadecimal" },
	{ "1. Qa6 d7 2. Ke8 c6 3. Rd8 b3 4. Bf5 c7 5. Re2 f4 6. Bd1 f6 7. Ka3 c2 8. Qh5 c6 9. Kb6 g4 10. Ng8 h6 "
	  "11. Kb8 g8 12. Bg7 h1 13. Nh3 b3 14. Ng5 h1 15. Rb6 d3 16. Nc7 b6 17. Qa8 d2 18. Qc1 c1 19. Nd1 f4",
	  "moves of chess" },
	{ "w c q u m c j h u v z f t x n o g x j h h i d h g b e d k a b x e q o h z y r z s a q i i i n y y",
	  "letters" },
	{ "dc ar cj td ez sb zp ub ay lr rm mb ff ln tn tp yj dg nr zo ro bq cp ps js na lh xn cc ny tb bu uv",
	  "pairs of letters" },
};

TEST(lang, is_unsure_of_what_is_no_language)
{
	for (size_t i = 0; i < COUNT(unsure); i++) {
		struct lang got = lang_of(str(unsure[i].text));

		CHECK_STR(str(got.code), STR("und"), "%s", unsure[i].because);
		CHECK(got.confidence == 0, "%s", unsure[i].because);
	}
}

static void add_hex(struct test *t, struct buf *text, size_t n)
{
	while (n-- > 0)
		buf_byte(text, "0123456789abcdef"[test_below(t, 16)]);
}

/* Words of so many hexadecimal digits, and what stands behind each. */
static const struct {
	size_t digits;
	const char *behind, *what;
} sums[] = {
	{ 32, "\n", "MD5 sums" },
	{ 64, "  ", "SHA-256 sums" },
	{ 64, "  debian-12.0.0-amd64-netinst.iso\n", "SHA256SUMS" },
	{ 64, "  perl.tar.gz\n", "sums of archives" },
	{ 5, " ", "words of digits" },
	{ 4, ":", "addresses" },
	{ 2, " ", "a dump" },
};

TEST(lang, check_sums_and_codes_are_no_language)
{
	struct lang_memo *memo = lang_memo_new();
	struct buf text = BUF(MIB);

	for (size_t i = 0; i < COUNT(sums) * 20; i++) {
		size_t kind = i % COUNT(sums);

		buf_reset(&text);
		for (size_t k = 0; k < 4000 / (sums[kind].digits + 1); k++) {
			add_hex(t, &text, sums[kind].digits);
			buf_str(&text, str(sums[kind].behind));
		}
		struct lang_text whole = { .text = buf_view(&text), .n = text.n };

		CHECK_STR(str(lang_of(buf_view(&text)).code), STR("und"), "%s", sums[kind].what);
		CHECK_STR(str(lang_of_plain(buf_view(&text)).code), STR("und"), "%s", sums[kind].what);
		CHECK_STR(str(lang_of_ranges(&whole, memo).code), STR("und"), "%s", sums[kind].what);
	}
	/* what is said of them is */
	buf_reset(&text);
	for (size_t i = 0; i < 5; i++) {
		buf_str(&text, STR("The file was published with this check sum, which readers should compare: "));
		add_hex(t, &text, 32);
		buf_byte(&text, '\n');
	}
	CHECK_STR(str(lang_of(buf_view(&text)).code), STR("en"));
	lang_memo_free(memo);
	buf_release(&text);
}

TEST(lang, english_quotations_do_not_take_a_page)
{
	struct str page = arena_printf(
	    t->arena,
	    "Dies ist eine Übersicht der Veröffentlichungen, die auf den folgenden Seiten besprochen werden. %s %s %s",
	    "A Comparison of Methods for the Detection of Near-Duplicate Documents on the Web and Elsewhere.",
	    "The Art of Keeping Records of Things That Were Said and of Those That Never Were.",
	    "Die Vorträge wurden auf mehreren Konferenzen gehalten und sind hier als Aufzeichnung verfügbar.");

	CHECK_STR(str(lang_of(page).code), STR("de"));
}

TEST(lang, knows_fifty_languages_and_more)
{
	size_t n;
	const char *const *codes = lang_codes(&n);

	CHECK(n >= 50, "%zu", n);
	for (size_t i = 1; i < n; i++)
		CHECK(strcmp(codes[i - 1], codes[i]) < 0, "%s", codes[i]);
}

TEST(lang, any_bytes_have_an_answer)
{
	for (int round = 0; round < 2000; round++) {
		size_t n = test_below(t, round % 10 ? 300 : 9000);
		char *p = arena_alloc(t->arena, n + 1);
		struct lang got;

		for (size_t i = 0; i < n; i++)
			p[i] = (char)test_random(t);
		got = lang_of(str_n(p, n));
		CHECK(memchr(got.code, 0, sizeof got.code) != NULL && got.confidence >= 0 && got.confidence <= 1);
	}
}

TEST(lang, sums_by_wide_and_by_narrow_steps_are_the_same)
{
	for (int round = 0; round < 3000; round++) {
		struct buf text = BUF(MIB);

		for (size_t k = test_below(t, 12); k > 0; k--) {
			struct str s = str(sentences[test_below(t, COUNT(sentences))].text);

			buf_str(&text, str_sub(s, test_below(t, s.n), test_below(t, s.n + 1)));
			buf_printf(&text, " %u%c", (unsigned)test_below(t, 2000), (char)(32 + test_below(t, 96)));
		}
		struct lang wide = lang_of(buf_view(&text)), narrow = lang_of_plain(buf_view(&text));

		CHECK_STR(str(wide.code), str(narrow.code));
		CHECK(wide.confidence == narrow.confidence);
		buf_release(&text);
	}
}

/* A long text of all languages, with digits, signs and long words between. */
static struct str mixture(struct test *t, struct buf *text)
{
	buf_reset(text);
	for (size_t k = test_below(t, 40); k > 0; k--) {
		struct str s = str(sentences[test_below(t, COUNT(sentences))].text);
		size_t from = test_below(t, s.n), to = from + test_below(t, s.n - from + 1);

		buf_str(text, test_below(t, 4) ? s : str_sub(s, from, to));
		if (test_below(t, 2))
			buf_printf(text, "%u%c", (unsigned)test_below(t, 2000), (char)(32 + test_below(t, 96)));
		for (size_t n = test_below(t, 8) ? 0 : test_below(t, 40); n > 0; n--)
			buf_byte(text, "abcdeXYZ"[test_below(t, 8)]);
		if (!test_below(t, 4))
			add_hex(t, text, test_below(t, 200));
	}
	return buf_view(text);
}

TEST(lang, words_met_before_weigh_the_same)
{
	struct lang_memo *memo = lang_memo_new();
	struct buf text = BUF(MIB);

	for (int round = 0; round < 3000; round++) {
		struct str s = mixture(t, &text);
		struct lang kept = lang_of_ranges(&(struct lang_text){ .text = s, .n = s.n }, memo),
			    plain = lang_of_plain(s);

		CHECK_STR(str(kept.code), str(plain.code));
		CHECK(kept.confidence == plain.confidence);
	}
	lang_memo_free(memo);
	buf_release(&text);
}

TEST(lang, ranges_are_read_as_the_text_that_they_make)
{
	struct lang_memo *memo = lang_memo_new();
	struct buf text = BUF(MIB), made = BUF(MIB);

	for (int round = 0; round < 2000; round++) {
		struct str s = mixture(t, &text);
		struct main_range v[200];
		char packed[sizeof v / sizeof *v * MAIN_RANGE_MOST];
		size_t n = 0, step = 1 + test_below(t, round % 2 ? 30 : 3000);

		buf_reset(&made);
		for (size_t at = test_below(t, step); at < s.n && n < COUNT(v);) {
			size_t end = at + 1 + test_below(t, step);

			if (end > s.n)
				end = s.n;
			if (n)
				buf_byte(&made, '\n');
			buf_str(&made, str_sub(s, at, end));
			v[n++] = (struct main_range){ (uint32_t)at, (uint32_t)end };
			at = end + 1 + test_below(t, step);
		}
		if (!n)
			continue;
		struct lang_text whole = { .text = s,
					   .ranges = { packed, main_ranges_pack(v, n, packed) },
					   .n = made.n };
		struct lang got = lang_of_ranges(&whole, round % 3 ? memo : NULL),
			    want = lang_of_plain(buf_view(&made));

		CHECK_STR(str(got.code), str(want.code));
		CHECK(got.confidence == want.confidence);
	}
	lang_memo_free(memo);
	buf_release(&text);
	buf_release(&made);
}
